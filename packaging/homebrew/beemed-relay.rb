# Written from Homebrew's documentation; it has not been run. `url` names a release archive of the
# sources, whose SHA-256 takes the place of the zeros:
#   brew install --build-from-source ./packaging/homebrew/beemed-relay.rb
class BeemedRelay < Formula
  desc "Takes presses of small devices and delivers them to Beeminder"
  homepage "https://www.beeminder.com"
  url "file:///tmp/beemed-relay-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "MIT"

  depends_on xcode: ["26.0", :build]
  depends_on macos: :tahoe

  def install
    system "swift", "build", "--disable-sandbox", "--configuration", "release",
           "--product", "beemed-relay"
    bin.install ".build/release/beemed-relay"
    bash_completion.install "packaging/completions/beemed-relay.bash" => "beemed-relay"
    zsh_completion.install "packaging/completions/_beemed-relay"
    fish_completion.install "packaging/completions/beemed-relay.fish"
    (man1/"beemed-relay.1").write Utils.safe_popen_read("packaging/manual-page.sh", bin/"beemed-relay")
  end

  service do
    run [opt_bin/"beemed-relay", "serve"]
    keep_alive successful_exit: false
    environment_variables BEEMED_DATA: var/"beemed-relay"
    log_path var/"log/beemed-relay.log"
    error_log_path var/"log/beemed-relay.log"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/beemed-relay version")
  end
end
