// @ts-check

const css = `
:host { --a: var(--carillon-accent, light-dark(#8a5414, #e3b36f)); --oa: var(--carillon-on-accent, light-dark(#fff, #231603));
	--s: var(--carillon-surface, Canvas); --t: var(--carillon-text, CanvasText); --m: var(--carillon-muted, color-mix(in srgb, var(--t) 65%, var(--s)));
	--b: var(--carillon-border, color-mix(in srgb, var(--t) 18%, var(--s))); --u: var(--carillon-unread, var(--a)); --r: var(--carillon-radius, 8px); --g: var(--carillon-gap, 12px);
	display: inline-block; font: var(--carillon-font, inherit); color: inherit; }
:host(carillon-inbox) { display: block; background: var(--s); color: var(--t); border: 1px solid var(--b); border-radius: var(--r); overflow: hidden; }
:host([hidden]), [hidden] { display: none !important; }
:host([theme=light]) { color-scheme: light; }
:host([theme=dark]) { color-scheme: dark; }
* { box-sizing: border-box; }
button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
:focus-visible { outline: 2px solid var(--a); outline-offset: 2px; border-radius: 4px; }
svg { width: 1.5em; height: 1.5em; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; display: block; }
.bell { position: relative; display: inline-flex; align-items: center; justify-content: center; min-width: 44px; min-height: 44px; }
.badge { position: absolute; inset-block-start: 2px; inset-inline-start: 50%; min-width: 1.25rem; padding: 0 .3rem; border-radius: 99px; background: var(--u); color: var(--oa);
	font-size: .75rem; font-weight: 600; line-height: 1.25rem; text-align: center; font-variant-numeric: tabular-nums; }
.panel { position: fixed; inset: auto; margin: 0; padding: 0; width: min(var(--carillon-width, 24rem), calc(100vw - 16px)); max-height: min(var(--carillon-height, 32rem), calc(100dvh - 16px)); left: var(--x, 8px); top: var(--y, 8px);
	overflow: hidden; flex-direction: column; background: var(--s); color: var(--t); border: 1px solid var(--b); border-radius: var(--r); box-shadow: 0 12px 32px -8px rgb(0 0 0 / .35); }
.panel:popover-open { display: flex; }
.head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: var(--g); padding-block: 8px; padding-inline: 16px 8px; border-block-end: 1px solid var(--b); }
h2 { margin: 0; font-size: 1rem; font-weight: 600; }
.action { min-height: 32px; padding: 0 8px; border-radius: 6px; font-size: .875rem; color: var(--a); }
.action:hover { background: color-mix(in srgb, var(--t) 8%, transparent); }
ul { margin: 0; padding: 0; list-style: none; overflow-y: auto; overscroll-behavior: contain; }
li { position: relative; display: grid; grid-template-columns: minmax(0, 1fr) auto; column-gap: var(--g); padding-block: 10px; padding-inline: 28px 12px; font-size: .875rem; line-height: 1.4; }
li + li { border-block-start: 1px solid var(--b); }
li:hover { background: color-mix(in srgb, var(--t) 5%, transparent); }
.dot { position: absolute; inset-inline-start: 12px; inset-block-start: 17px; width: 8px; height: 8px; border-radius: 50%; background: var(--u); }
:is(.title, .body) { text-align: left; }
li:dir(rtl) > :is(.title, .body) { text-align: right; }
.title { min-width: 0; color: inherit; font-weight: 500; text-decoration: none; overflow-wrap: anywhere; }
li[data-unread] .title { font-weight: 650; }
a.title::after { content: ""; position: absolute; inset: 0; }
.body { grid-column: 1 / -1; color: var(--m); overflow-wrap: anywhere; display: -webkit-box; -webkit-line-clamp: 2; -webkit-box-orient: vertical; overflow: hidden; white-space: pre-line; }
time { color: var(--m); white-space: nowrap; }
li .action { position: relative; z-index: 1; }
li > .action { grid-column: 2; align-self: start; }
.actions { grid-column: 1 / -1; display: flex; gap: 4px; margin-inline-start: -8px; }
.tabs { display: flex; gap: 4px; margin-inline-end: auto; }
.tab[aria-pressed=true] { background: color-mix(in srgb, var(--a) 14%, transparent); font-weight: 600; }
.more { display: block; margin: 8px auto; }
.prefs { border-block-start: 1px solid var(--b); padding: 4px 8px; }
.prefs summary { display: inline-flex; align-items: center; cursor: pointer; list-style: none; }
.types { padding: 4px 8px 8px; font-size: .875rem; }
.types label { display: flex; align-items: center; gap: 8px; min-height: 32px; }
.types input { width: 16px; height: 16px; accent-color: var(--a); }
.said { padding: 0 16px; font-size: .875rem; }
.empty, .state { margin: 0; padding: 32px 16px; text-align: center; color: var(--m); font-size: .875rem; }
.state { padding: 6px 16px; border-block-end: 1px solid var(--b); }
.foot { border-block-start: 1px solid var(--b); padding: 8px 16px; font-size: .875rem; text-align: center; }
.foot a { color: var(--a); }
.toasts { position: fixed; inset: auto 16px 16px auto; margin: 0; padding: 0; border: 0; background: none; overflow: visible; width: min(22rem, calc(100vw - 32px)); }
.toasts[data-position^=top] { inset-block: 16px auto; }
.toasts[data-position$=start] { inset-inline: 16px auto; }
.toast { position: relative; display: grid; gap: 2px; margin-block-start: 8px; padding-block: 12px; padding-inline: 16px 44px; font-size: .875rem; line-height: 1.4; background: var(--s); color: var(--t);
	border: 1px solid var(--b); border-inline-start: 3px solid var(--u); border-radius: var(--r); box-shadow: 0 8px 24px -8px rgb(0 0 0 / .35); }
.close { position: absolute; z-index: 1; inset-block-start: 4px; inset-inline-end: 4px; min-width: 36px; min-height: 36px; color: var(--m); }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (forced-colors: active) { .badge, .dot { forced-color-adjust: none; background: Highlight; color: HighlightText; } }
@media (width < 480px) { .panel { inset: auto 0 0; width: auto; max-width: none; max-height: 85dvh; border-radius: var(--r) var(--r) 0 0; } }
@media (pointer: coarse) { .action, .types label { min-height: 44px; } }
`;

/** @type {CSSStyleSheet | undefined} */ let sheet;

/** Returns the style sheet that all elements share. It is not an inline style, so a strict policy allows it. */
export function style() {
	if (!sheet) {
		sheet = new CSSStyleSheet();
		sheet.replaceSync(css);
	}
	return sheet;
}
