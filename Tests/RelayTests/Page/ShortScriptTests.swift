import RelayHTTP
import Testing

@testable import RelayPage

/// Modules are sent in a shorter form that means the same.
@Suite struct ShortScriptTests {
    @Test(arguments: [
        // Blanks, and words for the same.
        ("const a = true;\nif (a) {\n\tb();\n}\n", "let a=!0;if(a){b()}"),
        ("return typeof a;", "return typeof a;"),
        ("a++;\nb = a - 1;", "a++;b=a-1;"),
        ("f({ a: 1, b: [2, 3], });", "f({a:1,b:[2,3]});"),
        // Declarations that follow each other.
        (
            "const a = 1;\nlet b = f(c => { const d = 2; });\nconst e = 3;",
            "let a=1,b=f(c=>{let d=2}),e=3;"
        ),
        (
            "export const a = 1;\nconst b = 2;\nb();\nconst c = 3;",
            "export let a=1;let b=2;b();let c=3;"
        ),
        // Texts, templates and regular expressions stay as they are.
        (
            "f(\"a  b\", 'c ; }', `d  ${ e + ` f  ${g} ` }  h`);",
            "f(\"a  b\",'c ; }',`d  ${e+` f  ${g} `}  h`);"
        ),
        ("g(\"\\\" ; }\");", "g(\"\\\" ; }\");"),
        (
            "f(/[/ ] \" {2}/.test(a)); b = c / 2 / d;",
            "f(/[/ ] \" {2}/.test(a));b=c/2/d;"
        ),
        // Names that are declared here.
        ("const value = 1;\nf(value);", "let a=1;f(a);"),
        ("const double = (number) => number * 2;\nf(double);", "let a=b=>b*2;f(a);"),
        (
            "function one(first, second) { return first + second; }\none();",
            "function c(b,a){return b+a}c();"
        ),
        ("try { f(); } catch (error) { g(error, error); }", "try{f()}catch(a){g(a,a)}"),
        // Names that others see, or that are members, stay.
        ("export const value = 1;\nf(value);", "export let value=1;f(value);"),
        ("const value = 1;\nf({ value });", "let value=1;f({value});"),
        ("const value = 1;\nf({ value: 2 }, a.value);", "let value=1;f({value:2},a.value);"),
        ("const { value } = a;\nf(value);", "let{value}=a;f(value);"),
        (
            "const load = 1;\nconst b = { load() { f(load); } };",
            "let load=1,b={load(){f(load)}};"
        ),
        ("f((value) => { document.title = value; });", "f(a=>{document.title=a});"),
        // An import keeps its name where it comes from.
        (
            "import { button } from \"./dom.js\";\nbutton();\nbutton();\nbutton();\nbutton();",
            "import{button as a}from\"./dom.js\";a();a();a();a();"
        ),
        ("import { h } from \"./dom.js\";\nh();", "import{h}from\"./dom.js\";h();"),
    ])
    func `means the same`(module: String, short: String) {
        let sent = ShortScript(Array(module.utf8)).bytes
        #expect(String(decoding: sent, as: UTF8.self) == short)
    }

    /// A name that is taken already, also as a member, is not given to another.
    @Test func `gives no name twice`() {
        let module = "const value = a + b.c;\nf(value, value);"
        let sent = ShortScript(Array(module.utf8)).bytes
        #expect(String(decoding: sent, as: UTF8.self) == "let d=a+b.c;f(d,d);")
    }

    /// The names by which modules find one another, and the texts in them, are those of the source.
    @Test func `keeps all texts and all exports of the page`() throws {
        for name in Page.files.keys where name.hasSuffix(".js") {
            let source = try SourceTree.file("Sources/BeemedRelay/CEmbedded/page/\(name)").text
            let body = try #require(Page.files[name]?.body)
            let sent = String(decoding: body, as: UTF8.self)
            for match in source.matches(of: /export (?:const|function|async function|class) (\w+)/)
            {
                #expect(sent.contains(String(match.1)), "\(match.1) in \(name)")
            }
            for match in source.matches(of: /from (".\/[a-z.]+")/) {
                #expect(sent.contains("from\(match.1)"), "\(match.1) in \(name)")
            }
        }
    }
}
