// The files that the program serves, as bytes of the program (C23, `#embed`). A new file has its
// bytes in the first part and a line in the table. The files of sent/ are made of page/ by
// packaging/page.py.
#include "CEmbedded.h"

static const unsigned char page_account_js[] = {
#embed "sent/account.js"
};
static const unsigned char page_api_js[] = {
#embed "sent/api.js"
};
static const unsigned char page_app_css[] = {
#embed "sent/app.css"
};
static const unsigned char page_archive_js[] = {
#embed "sent/archive.js"
};
static const unsigned char page_base_css[] = {
#embed "sent/base.css"
};
static const unsigned char page_browsers_js[] = {
#embed "sent/browsers.js"
};
static const unsigned char page_devices_js[] = {
#embed "sent/devices.js"
};
static const unsigned char page_dom_js[] = {
#embed "sent/dom.js"
};
static const unsigned char page_event_js[] = {
#embed "sent/event.js"
};
static const unsigned char page_events_js[] = {
#embed "sent/events.js"
};
static const unsigned char page_goalrow_js[] = {
#embed "sent/goalrow.js"
};
static const unsigned char page_goals_js[] = {
#embed "sent/goals.js"
};
static const unsigned char page_goalview_js[] = {
#embed "sent/goalview.js"
};
static const unsigned char page_health_js[] = {
#embed "sent/health.js"
};
static const unsigned char page_icon_192_png[] = {
#embed "page/icon-192.png"
};
static const unsigned char page_icon_svg[] = {
#embed "page/icon.svg"
};
static const unsigned char page_index_html[] = {
#embed "page/index.html"
};
static const unsigned char page_lead_js[] = {
#embed "sent/lead.js"
};
static const unsigned char page_main_js[] = {
#embed "sent/main.js"
};
static const unsigned char page_manifest_webmanifest[] = {
#embed "page/manifest.webmanifest"
};
static const unsigned char page_parts_js[] = {
#embed "sent/parts.js"
};
static const unsigned char page_phone_html[] = {
#embed "page/phone.html"
};
static const unsigned char page_phone_webmanifest[] = {
#embed "page/phone.webmanifest"
};
static const unsigned char page_pins_js[] = {
#embed "sent/pins.js"
};
static const unsigned char page_presets_js[] = {
#embed "sent/presets.js"
};
static const unsigned char page_presses_js[] = {
#embed "sent/presses.js"
};
static const unsigned char page_reminders_js[] = {
#embed "sent/reminders.js"
};
static const unsigned char page_requests_js[] = {
#embed "sent/requests.js"
};
static const unsigned char page_settings_js[] = {
#embed "sent/settings.js"
};
static const unsigned char page_spark_js[] = {
#embed "sent/spark.js"
};
static const unsigned char page_standing_js[] = {
#embed "sent/standing.js"
};
static const unsigned char page_start_js[] = {
#embed "sent/start.js"
};
static const unsigned char page_status_js[] = {
#embed "sent/status.js"
};
static const unsigned char page_store_js[] = {
#embed "sent/store.js"
};
static const unsigned char page_texts_js[] = {
#embed "sent/texts.js"
};
static const unsigned char page_time_js[] = {
#embed "sent/time.js"
};
static const unsigned char page_toast_js[] = {
#embed "sent/toast.js"
};
static const unsigned char page_worker_js[] = {
#embed "sent/worker.js"
};
static const unsigned char manual_manual_css[] = {
#embed "manual/manual.css"
};
static const unsigned char manual_manual_html[] = {
#embed "manual/manual.html"
};
static const unsigned char manual_manual_js[] = {
#embed "manual/manual.js"
};
static const unsigned char openapi_yaml[] = {
#embed "../../../openapi.yaml"
};
static const unsigned char recipes_Caddyfile[] = {
#embed "../../../recipes/Caddyfile"
};
static const unsigned char recipes_esp32_arduino_ino[] = {
#embed "../../../recipes/esp32-arduino.ino"
};
static const unsigned char recipes_esphome_yaml[] = {
#embed "../../../recipes/esphome.yaml"
};
static const unsigned char recipes_flic_js[] = {
#embed "../../../recipes/flic.js"
};
static const unsigned char recipes_haproxy_cfg[] = {
#embed "../../../recipes/haproxy.cfg"
};
static const unsigned char recipes_hc_webhook_md[] = {
#embed "../../../recipes/hc-webhook.md"
};
static const unsigned char recipes_health_auto_export_md[] = {
#embed "../../../recipes/health-auto-export.md"
};
static const unsigned char recipes_home_assistant_yaml[] = {
#embed "../../../recipes/home-assistant.yaml"
};
static const unsigned char recipes_micropython_py[] = {
#embed "../../../recipes/micropython.py"
};
static const unsigned char recipes_mystrom_md[] = {
#embed "../../../recipes/mystrom.md"
};
static const unsigned char recipes_nginx_conf[] = {
#embed "../../../recipes/nginx.conf"
};
static const unsigned char recipes_node_red_json[] = {
#embed "../../../recipes/node-red.json"
};
static const unsigned char recipes_ntfy_md[] = {
#embed "../../../recipes/ntfy.md"
};
static const unsigned char recipes_press_sh[] = {
#embed "../../../recipes/press.sh"
};
static const unsigned char recipes_shelly_gen1_md[] = {
#embed "../../../recipes/shelly-gen1.md"
};
static const unsigned char recipes_shelly_gen2_js[] = {
#embed "../../../recipes/shelly-gen2.js"
};
static const unsigned char recipes_shortcuts_md[] = {
#embed "../../../recipes/shortcuts.md"
};
static const unsigned char recipes_stream_deck_md[] = {
#embed "../../../recipes/stream-deck.md"
};
static const unsigned char recipes_tailscale_md[] = {
#embed "../../../recipes/tailscale.md"
};
static const unsigned char recipes_tasker_md[] = {
#embed "../../../recipes/tasker.md"
};
static const unsigned char recipes_tasmota_be[] = {
#embed "../../../recipes/tasmota.be"
};
static const unsigned char service_avahi_service[] = {
#embed "service/avahi.service"
};
static const unsigned char service_launchd_plist[] = {
#embed "service/launchd.plist"
};
static const unsigned char service_machine_service[] = {
#embed "service/machine.service"
};
static const unsigned char service_user_service[] = {
#embed "service/user.service"
};

#define ENTRY(name, bytes) {name, bytes, sizeof bytes}

static const struct EmbeddedFile files[] = {
    ENTRY("page/account.js", page_account_js),
    ENTRY("page/api.js", page_api_js),
    ENTRY("page/app.css", page_app_css),
    ENTRY("page/archive.js", page_archive_js),
    ENTRY("page/base.css", page_base_css),
    ENTRY("page/browsers.js", page_browsers_js),
    ENTRY("page/devices.js", page_devices_js),
    ENTRY("page/dom.js", page_dom_js),
    ENTRY("page/event.js", page_event_js),
    ENTRY("page/events.js", page_events_js),
    ENTRY("page/goalrow.js", page_goalrow_js),
    ENTRY("page/goals.js", page_goals_js),
    ENTRY("page/goalview.js", page_goalview_js),
    ENTRY("page/health.js", page_health_js),
    ENTRY("page/icon-192.png", page_icon_192_png),
    ENTRY("page/icon.svg", page_icon_svg),
    ENTRY("page/index.html", page_index_html),
    ENTRY("page/lead.js", page_lead_js),
    ENTRY("page/main.js", page_main_js),
    ENTRY("page/manifest.webmanifest", page_manifest_webmanifest),
    ENTRY("page/parts.js", page_parts_js),
    ENTRY("page/phone.html", page_phone_html),
    ENTRY("page/phone.webmanifest", page_phone_webmanifest),
    ENTRY("page/pins.js", page_pins_js),
    ENTRY("page/presets.js", page_presets_js),
    ENTRY("page/presses.js", page_presses_js),
    ENTRY("page/reminders.js", page_reminders_js),
    ENTRY("page/requests.js", page_requests_js),
    ENTRY("page/settings.js", page_settings_js),
    ENTRY("page/spark.js", page_spark_js),
    ENTRY("page/standing.js", page_standing_js),
    ENTRY("page/start.js", page_start_js),
    ENTRY("page/status.js", page_status_js),
    ENTRY("page/store.js", page_store_js),
    ENTRY("page/texts.js", page_texts_js),
    ENTRY("page/time.js", page_time_js),
    ENTRY("page/toast.js", page_toast_js),
    ENTRY("page/worker.js", page_worker_js),
    ENTRY("manual/manual.css", manual_manual_css),
    ENTRY("manual/manual.html", manual_manual_html),
    ENTRY("manual/manual.js", manual_manual_js),
    ENTRY("openapi.yaml", openapi_yaml),
    ENTRY("recipes/Caddyfile", recipes_Caddyfile),
    ENTRY("recipes/esp32-arduino.ino", recipes_esp32_arduino_ino),
    ENTRY("recipes/esphome.yaml", recipes_esphome_yaml),
    ENTRY("recipes/flic.js", recipes_flic_js),
    ENTRY("recipes/haproxy.cfg", recipes_haproxy_cfg),
    ENTRY("recipes/hc-webhook.md", recipes_hc_webhook_md),
    ENTRY("recipes/health-auto-export.md", recipes_health_auto_export_md),
    ENTRY("recipes/home-assistant.yaml", recipes_home_assistant_yaml),
    ENTRY("recipes/micropython.py", recipes_micropython_py),
    ENTRY("recipes/mystrom.md", recipes_mystrom_md),
    ENTRY("recipes/nginx.conf", recipes_nginx_conf),
    ENTRY("recipes/node-red.json", recipes_node_red_json),
    ENTRY("recipes/ntfy.md", recipes_ntfy_md),
    ENTRY("recipes/press.sh", recipes_press_sh),
    ENTRY("recipes/shelly-gen1.md", recipes_shelly_gen1_md),
    ENTRY("recipes/shelly-gen2.js", recipes_shelly_gen2_js),
    ENTRY("recipes/shortcuts.md", recipes_shortcuts_md),
    ENTRY("recipes/stream-deck.md", recipes_stream_deck_md),
    ENTRY("recipes/tailscale.md", recipes_tailscale_md),
    ENTRY("recipes/tasker.md", recipes_tasker_md),
    ENTRY("recipes/tasmota.be", recipes_tasmota_be),
    ENTRY("service/avahi.service", service_avahi_service),
    ENTRY("service/launchd.plist", service_launchd_plist),
    ENTRY("service/machine.service", service_machine_service),
    ENTRY("service/user.service", service_user_service),
};

size_t embedded_file_count(void) { return sizeof files / sizeof files[0]; }

struct EmbeddedFile embedded_file(size_t index) { return files[index]; }
