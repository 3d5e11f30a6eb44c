package mail

import "github.com/a-h/templ"

// The styles of mails are in attributes, because many mail programs drop a style sheet. The colours
// match the pages in the light theme; the sheet contains the colours of the dark theme, for mail programs that support it.
const (
	styleBody   templ.SafeCSS = `margin:0;padding:0;background-color:#faf8f5;color:#1f1b16;-webkit-text-size-adjust:100%;`
	stylePage   templ.SafeCSS = `max-width:600px;margin:0 auto;padding:24px 12px 32px;font-family:system-ui,-apple-system,Segoe UI,Roboto,Noto Sans,sans-serif;font-size:15px;line-height:1.5;`
	styleBrand  templ.SafeCSS = `margin:0 0 12px;padding:0 4px;font-size:14px;font-weight:600;color:#8a5414;`
	styleCard   templ.SafeCSS = `background-color:#ffffff;border:1px solid #e8e2d9;border-radius:12px;padding:24px;`
	styleTitle  templ.SafeCSS = `margin:0;font-size:20px;line-height:1.3;font-weight:650;overflow-wrap:anywhere;`
	styleHead   templ.SafeCSS = `color:#1f1b16;text-decoration:none;`
	styleRow    templ.SafeCSS = `margin:18px 0 0;padding:18px 0 0;border-top:1px solid #e8e2d9;`
	styleName   templ.SafeCSS = `margin:0;font-size:16px;line-height:1.4;font-weight:600;overflow-wrap:anywhere;`
	styleLink   templ.SafeCSS = `color:#8a5414;text-decoration:none;`
	styleText   templ.SafeCSS = `margin:6px 0 0;overflow-wrap:anywhere;`
	styleQuiet  templ.SafeCSS = `margin:6px 0 0;font-size:13px;color:#655d53;`
	styleMore   templ.SafeCSS = `margin:18px 0 0;padding:18px 0 0;border-top:1px solid #e8e2d9;font-size:14px;color:#655d53;`
	styleAct    templ.SafeCSS = `margin:22px 0 0;`
	styleButton templ.SafeCSS = `display:inline-block;padding:10px 18px;border-radius:8px;background-color:#8a5414;color:#ffffff;font-weight:600;text-decoration:none;`
	styleFace   templ.SafeCSS = `margin:0 0 8px;width:36px;height:36px;line-height:36px;border-radius:18px;background-color:#f3e6d3;color:#6d4210;font-size:14px;font-weight:600;text-align:center;`
	styleCalls  templ.SafeCSS = `margin:12px 0 0;`
	styleCall   templ.SafeCSS = `display:inline-block;margin:0 8px 8px 0;padding:7px 14px;border:1px solid #8a5414;border-radius:8px;color:#8a5414;font-weight:600;text-decoration:none;`
	styleFoot   templ.SafeCSS = `margin:16px 0 0;padding:0 4px;font-size:13px;line-height:1.5;color:#655d53;overflow-wrap:anywhere;`
	styleUnder  templ.SafeCSS = `color:#655d53;text-decoration:underline;`
)

// dark is the style sheet of the dark theme.
const dark = `<style>:root{color-scheme:light dark;supported-color-schemes:light dark}` +
	`@media (prefers-color-scheme:dark){` +
	`.c-body{background-color:#151311!important;color:#f3eee7!important}` +
	`.c-card{background-color:#1e1b18!important;border-color:#38322b!important}` +
	`.c-line{border-color:#38322b!important}` +
	`.c-ink{color:#f3eee7!important}` +
	`.c-link{color:#e3b36f!important}` +
	`.c-quiet{color:#b3a99c!important}` +
	`.c-face{background-color:#3a2c19!important;color:#f0d3a8!important}` +
	`.c-call{border-color:#e3b36f!important;color:#e3b36f!important}` +
	`.c-button{background-color:#e3b36f!important;color:#231603!important}` +
	`}</style>`
