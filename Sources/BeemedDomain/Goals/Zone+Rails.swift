extension Zone {
    /// The IANA names of zones by the names that Rails gives them (`ActiveSupport::TimeZone`,
    /// constant `MAPPING`): Beeminder is made with Rails, and an application may store either.
    static let railsNames: [String: String] = {
        var names: [String: String] = [:]
        for zone in railsCities.split(whereSeparator: \.isWhitespace) {
            let city = zone.split(separator: "/").last ?? zone
            names[String(city.map { $0 == "_" ? " " : $0 })] = String(zone)
        }
        for line in railsTable.split(separator: "\n") {
            let parts = line.split(separator: "=")
            for name in parts[1].split(separator: "|") { names[String(name)] = String(parts[0]) }
        }
        return names
    }()

    /// The zone that Beeminder names, by its own name or by that of Rails; nil for an unknown name.
    init?(beeminder name: String) {
        if let zone = Zone(named: name) ?? Zone.railsNames[name].flatMap({ Zone(named: $0) }) {
            self = zone
        } else {
            return nil
        }
    }

    /// Zones that Rails names after their cities.
    private static let railsCities = """
        America/Tijuana America/Chihuahua America/Mazatlan America/Mexico_City America/Monterrey
        America/Bogota America/Lima America/Caracas America/La_Paz America/Santiago
        America/Asuncion America/Argentina/Buenos_Aires America/Montevideo America/Puerto_Rico
        Atlantic/Azores Europe/Dublin Europe/London Europe/Lisbon Africa/Casablanca
        Africa/Monrovia Europe/Belgrade Europe/Bratislava Europe/Budapest Europe/Ljubljana
        Europe/Prague Europe/Sarajevo Europe/Skopje Europe/Warsaw Europe/Zagreb Europe/Brussels
        Europe/Copenhagen Europe/Madrid Europe/Paris Europe/Amsterdam Europe/Berlin Europe/Zurich
        Europe/Rome Europe/Stockholm Europe/Vienna Europe/Bucharest Africa/Cairo Europe/Helsinki
        Europe/Riga Europe/Sofia Europe/Tallinn Europe/Vilnius Europe/Athens Europe/Istanbul
        Europe/Minsk Asia/Jerusalem Africa/Harare Europe/Kaliningrad Europe/Moscow
        Europe/Volgograd Europe/Samara Asia/Kuwait Asia/Riyadh Africa/Nairobi Asia/Baghdad
        Asia/Tehran Asia/Muscat Asia/Baku Asia/Tbilisi Asia/Yerevan Asia/Kabul Asia/Karachi
        Asia/Tashkent Asia/Kolkata Asia/Kathmandu Asia/Dhaka Asia/Almaty Asia/Novosibirsk
        Asia/Rangoon Asia/Bangkok Asia/Jakarta Asia/Krasnoyarsk Asia/Chongqing Asia/Hong_Kong
        Asia/Urumqi Asia/Kuala_Lumpur Asia/Singapore Asia/Taipei Australia/Perth Asia/Irkutsk
        Asia/Ulaanbaatar Asia/Seoul Asia/Tokyo Asia/Yakutsk Australia/Darwin Australia/Adelaide
        Australia/Melbourne Australia/Sydney Australia/Brisbane Australia/Hobart Asia/Vladivostok
        Pacific/Guam Pacific/Port_Moresby Asia/Magadan Asia/Srednekolymsk Pacific/Fiji
        Asia/Kamchatka Pacific/Auckland
        """

    private static let railsTable = """
        Etc/GMT+12=International Date Line West
        Pacific/Midway=Midway Island
        Pacific/Pago_Pago=American Samoa
        Pacific/Honolulu=Hawaii
        America/Juneau=Alaska
        America/Los_Angeles=Pacific Time (US & Canada)
        America/Denver=Mountain Time (US & Canada)
        America/Phoenix=Arizona
        America/Chicago=Central Time (US & Canada)
        America/Regina=Saskatchewan
        America/Mexico_City=Guadalajara
        America/Guatemala=Central America
        America/New_York=Eastern Time (US & Canada)
        America/Indiana/Indianapolis=Indiana (East)
        America/Lima=Quito
        America/Halifax=Atlantic Time (Canada)
        America/St_Johns=Newfoundland
        America/Sao_Paulo=Brasilia
        America/Guyana=Georgetown
        America/Godthab=Greenland
        Atlantic/South_Georgia=Mid-Atlantic
        Atlantic/Cape_Verde=Cape Verde Is.
        Europe/London=Edinburgh
        Europe/Zurich=Bern
        Africa/Algiers=West Central Africa
        Europe/Kiev=Kyiv
        Africa/Johannesburg=Pretoria
        Europe/Moscow=St. Petersburg
        Asia/Muscat=Abu Dhabi
        Asia/Yekaterinburg=Ekaterinburg
        Asia/Karachi=Islamabad
        Asia/Kolkata=Chennai|Mumbai|New Delhi
        Asia/Dhaka=Astana
        Asia/Colombo=Sri Jayawardenepura
        Asia/Bangkok=Hanoi
        Asia/Shanghai=Beijing
        Asia/Tokyo=Osaka|Sapporo
        Australia/Melbourne=Canberra
        Pacific/Guadalcanal=Solomon Is.
        Pacific/Noumea=New Caledonia
        Pacific/Majuro=Marshall Is.
        Pacific/Auckland=Wellington
        Pacific/Tongatapu=Nuku'alofa
        Pacific/Fakaofo=Tokelau Is.
        Pacific/Chatham=Chatham Is.
        Pacific/Apia=Samoa
        """
}
