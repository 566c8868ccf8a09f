// Part 3: the styles. Each element has its own shadow root, so that the styles of page and element
// do not affect each other.

var CSS = [
  ":host{display:block;all:initial;display:block;font-family:var(--s-font);color:var(--s-text);",
  "--s-font:system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;--s-primary:#0B5D4B;--s-text:#10201D;",
  "--s-text-2:#45534F;--s-text-3:#5F6B67;--s-bg:#fff;--s-danger:#B3261E;--s-line:#85806F;--s-radius:10px;--s-size:16px;--s-gap:12px}",
  "*{box-sizing:border-box}[hidden]{display:none!important}",
  "label,.label{display:block;font:600 14px/1.3 var(--s-font);color:var(--s-text);margin:0 0 6px}",
  "input,select{font:400 var(--s-size)/1.3 var(--s-font);color:var(--s-text);letter-spacing:normal;font-variant-numeric:tabular-nums}",
  ".box{display:flex;align-items:center;gap:8px;min-height:48px;padding:0 12px;background:var(--s-bg);",
  "border:1.5px solid var(--s-line);border-radius:var(--s-radius)}",
  ".box>input,.box>select{flex:1;min-width:0;width:100%;min-height:44px;border:0;padding:0;background:transparent;outline:0}",
  "input::placeholder{color:var(--s-text-3);opacity:1}",
  ".box:focus-within,.row:focus-within{border-color:var(--s-primary);outline:2px solid var(--s-primary);outline-offset:1px}",
  ".box.bad{border-color:var(--s-danger)}.bad input,input[aria-invalid=true]{color:var(--s-danger)}",
  ".error{margin:6px 0 0;font:400 14px/1.35 var(--s-font);color:var(--s-danger)}.error:empty{display:none}",
  ".fields{display:grid;grid-template-columns:1fr 1fr;gap:var(--s-gap)}.wide{grid-column:1/-1}",
  ".brand{flex:none;display:flex}.brand svg{display:block;width:34px;height:22px}",
  ".row{display:flex;flex-wrap:wrap;align-items:center;gap:2px 10px;outline-offset:4px;border-radius:4px}",
  ".row input{border:0;outline:0;padding:4px 0;min-height:32px;min-width:0;background:transparent;font:inherit;color:inherit}",
  ".row:focus-within{outline:0}",
  ".row .number{flex:1 1 176px}.tail{display:flex;gap:10px}.row .expiry{width:74px}.row .cvc{width:46px}",
  ".pay{display:flex;align-items:center;justify-content:center;gap:6px;width:100%;border:0;border-radius:var(--s-radius);",
  "background:#000;color:#fff;font:500 19px/1 -apple-system,system-ui,'Segoe UI',Roboto,Arial,sans-serif;cursor:pointer;",
  "touch-action:manipulation}.pay:hover{background:#262626}.pay:focus-visible{outline:3px solid #1D4ED8;outline-offset:2px}",
  ".pay svg{height:22px;width:auto;flex:none}.pays{display:grid;gap:10px}",
  ".sr{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}",
  "dialog{border:0;padding:0;background:#fff;color:#10201D;font:400 16px/1.5 var(--s-font);max-width:none;max-height:none;",
  "box-shadow:0 16px 40px rgba(16,32,29,.3)}dialog::backdrop{background:rgba(16,32,29,.55)}",
  ".sheet{position:fixed;inset:auto 0 0 0;margin:0 auto;width:min(480px,100%);max-height:94%;overflow:auto;border-radius:18px 18px 0 0;",
  "animation:rise .22s cubic-bezier(.2,.8,.2,1)}@keyframes rise{from{transform:translateY(40px);opacity:0}}",
  ".challenge{width:min(420px,calc(100% - 32px));border-radius:16px;margin:auto}",
  ".inside{padding:20px;display:grid;gap:16px}.head{display:flex;align-items:center;justify-content:space-between;gap:12px}",
  "h2{font:600 20px/1.2 var(--s-font);margin:0;display:flex;align-items:center;gap:4px}h2 svg{height:22px;width:auto}p{margin:0}",
  ".note{font-size:13px;line-height:1.4;color:#45534F}.total{display:flex;justify-content:space-between;align-items:baseline;gap:12px;",
  "border-top:1px solid #D6D2C4;padding-top:14px}.total strong{font:700 24px/1 var(--s-font);font-variant-numeric:tabular-nums}",
  ".items{display:grid;gap:4px;margin:0;padding:0;list-style:none}.items li{display:flex;justify-content:space-between;gap:12px;color:#45534F}",
  ".btn{min-height:48px;padding:0 20px;border-radius:10px;border:0;font:600 16px/1 var(--s-font);cursor:pointer;width:100%;",
  "background:#000;color:#fff}.btn[disabled]{opacity:.65;cursor:default}.btn.sec{background:#fff;color:#10201D;",
  "box-shadow:inset 0 0 0 1.5px #85806F}.btn:focus-visible,.text:focus-visible{outline:3px solid #1D4ED8;outline-offset:2px}",
  ".text{border:0;background:none;font:600 16px/1 var(--s-font);color:#1D5FD1;min-height:44px;padding:0 8px;margin:-8px -8px -8px 0;cursor:pointer}",
  ".status{min-height:24px;text-align:center;font-weight:600}.status.bad{color:#B3261E}.status.ok{color:#14713D}.status:empty{display:none}",
  ".stack{display:grid;gap:12px}.bank{display:inline-block;background:#DCEFE9;color:#06382E;font:600 13px/1 var(--s-font);padding:6px 10px;border-radius:999px}",
  "@media (prefers-reduced-motion:reduce){.sheet{animation:none}}"
].join("");

// Stripe's appearance variables that this script supports, with the CSS property of each.
var VARIABLES = {
  colorPrimary: "--s-primary", colorText: "--s-text", colorTextSecondary: "--s-text-2", colorBackground: "--s-bg",
  colorTextPlaceholder: "--s-text-3", colorDanger: "--s-danger", borderRadius: "--s-radius", fontFamily: "--s-font", fontSizeBase: "--s-size",
  gridRowSpacing: "--s-gap"
};

function styleRoot(root) {
  try {
    // A constructed style sheet works without 'unsafe-inline' in the page's content security
    // policy.
    var sheet = new CSSStyleSheet();
    sheet.replaceSync(CSS);
    root.adoptedStyleSheets = [sheet];
  } catch (unsupported) {
    var style = document.createElement("style");
    style.textContent = CSS;
    root.appendChild(style);
  }
}

function applyAppearance(host, appearance) {
  var variables = (appearance && appearance.variables) || {};
  Object.keys(VARIABLES).forEach(function (name) {
    if (variables[name]) host.style.setProperty(VARIABLES[name], variables[name]);
    else host.style.removeProperty(VARIABLES[name]);
  });
}

// Creates a DOM node, for example make("p", {class: "note"}, ["text", node]).
function make(name, attributes, children) {
  var made = document.createElement(name);
  Object.keys(attributes || {}).forEach(function (key) {
    if (attributes[key] !== undefined && attributes[key] !== false) made.setAttribute(key, attributes[key]);
  });
  (children || []).forEach(function (child) {
    if (child) made.appendChild(typeof child === "string" ? document.createTextNode(child) : child);
  });
  return made;
}

function drawing(viewBox, shapes) {
  var svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", viewBox);
  svg.setAttribute("aria-hidden", "true");
  shapes.forEach(function (shape) {
    var drawn = document.createElementNS("http://www.w3.org/2000/svg", shape[0]);
    Object.keys(shape[1]).forEach(function (key) { drawn.setAttribute(key, shape[1][key]); });
    if (shape[2]) drawn.textContent = shape[2];
    svg.appendChild(drawn);
  });
  return svg;
}

function lettering(fill, text) {
  return drawing("0 0 34 22", [
    ["rect", { width: 34, height: 22, rx: 4, fill: fill }],
    ["text", { x: 17, y: 15, "text-anchor": "middle", fill: "#fff", "font-family": "Arial,sans-serif", "font-size": 9.5, "font-weight": 700 }, text]
  ]);
}

function brandMark(brand) {
  if (brand === "visa") return lettering("#1434CB", "VISA");
  if (brand === "amex") return lettering("#016FD0", "AMEX");
  if (brand === "mastercard") {
    return drawing("0 0 34 22", [["rect", { width: 34, height: 22, rx: 4, fill: "#252525" }],
      ["circle", { cx: 13.5, cy: 11, r: 6.5, fill: "#EB001B" }], ["circle", { cx: 20.5, cy: 11, r: 6.5, fill: "#F79E1B", "fill-opacity": 0.9 }]]);
  }
  return drawing("0 0 34 22", [["rect", { x: 1, y: 1, width: 32, height: 20, rx: 4, fill: "none", stroke: "#85806F", "stroke-width": 1.5 }],
    ["rect", { x: 1, y: 6, width: 32, height: 4, fill: "#85806F" }]]);
}

function appleMark() {
  return drawing("0 0 24 24", [["path", { fill: "currentColor", d: "M12.152 6.896c-.948 0-2.415-1.078-3.96-1.04-2.04.027-3.91 1.183-4.961 3.014-2.117 3.675-.546 9.103 1.519 12.09 1.013 1.454 2.208 3.09 3.792 3.039 1.52-.065 2.09-.987 3.935-.987 1.831 0 2.35.987 3.96.948 1.637-.026 2.676-1.48 3.676-2.948 1.156-1.688 1.636-3.325 1.662-3.415-.039-.013-3.182-1.221-3.22-4.857-.026-3.04 2.48-4.494 2.597-4.559-1.429-2.09-3.623-2.324-4.39-2.376-2-.156-3.675 1.09-4.61 1.09zM15.53 3.83c.843-1.012 1.4-2.427 1.245-3.83-1.207.052-2.662.805-3.532 1.818-.78.896-1.454 2.338-1.273 3.714 1.338.104 2.715-.688 3.559-1.701" }]]);
}

function googleMark() {
  return drawing("0 0 18 18", [
    ["path", { fill: "#4285F4", d: "M17.64 9.2c0-.637-.057-1.251-.164-1.84H9v3.481h4.844c-.209 1.125-.843 2.078-1.796 2.717v2.258h2.908c1.702-1.567 2.684-3.874 2.684-6.615z" }],
    ["path", { fill: "#34A853", d: "M9 18c2.43 0 4.467-.806 5.956-2.18l-2.908-2.259c-.806.54-1.837.86-3.048.86-2.344 0-4.328-1.584-5.036-3.711H.957v2.332A8.997 8.997 0 0 0 9 18z" }],
    ["path", { fill: "#FBBC05", d: "M3.964 10.71A5.41 5.41 0 0 1 3.682 9c0-.593.102-1.17.282-1.71V4.958H.957A8.996 8.996 0 0 0 0 9c0 1.452.348 2.827.957 4.042l3.007-2.332z" }],
    ["path", { fill: "#EA4335", d: "M9 3.58c1.321 0 2.508.454 3.44 1.345l2.582-2.58C13.463.891 11.426 0 9 0A8.997 8.997 0 0 0 .957 4.958L3.964 7.29C4.672 5.163 6.656 3.58 9 3.58z" }]
  ]);
}
