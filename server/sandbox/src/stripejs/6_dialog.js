// Part 6: dialogs. They open inside the element they belong to, so that a page's own modal does not steal their focus.

var openDialogs = [];

function openDialog(owner, kind, labelId, children) {
  var host = make("div", { "class": "__PrivateStripeDialog" });
  var root = host.attachShadow({ mode: "open" });
  styleRoot(root);
  var dialog = make("dialog", { "class": kind, "aria-labelledby": labelId }, children);
  root.appendChild(dialog);
  homeOf(owner).appendChild(host);
  dialog.showModal();
  var entry = { host: host, dialog: dialog };
  openDialogs.push(entry);
  return entry;
}

// The light DOM around an element: its mount point, or the page.
function homeOf(owner) {
  var place = owner && owner.host && owner.host.isConnected && owner.host.parentNode;
  return place || document.body;
}

// An element that leaves the page must not take an open dialog along: the buyer is in the middle of it.
function rehome(host) {
  var place = host && host.parentNode;
  if (!place) return;
  openDialogs.forEach(function (entry) {
    if (entry.host.parentNode === place) moveToPage(entry);
  });
}

function moveToPage(entry) {
  var wasOpen = entry.dialog.open;
  document.body.appendChild(entry.host);
  if (!wasOpen) return;
  // A moved dialog is open but no longer modal.
  entry.dialog.close();
  entry.dialog.showModal();
}

// A page that redraws itself may drop the dialog's place without telling its element.
function keepAlive(entry) {
  entry.watch = setInterval(function () {
    if (!entry.host.isConnected) moveToPage(entry);
  }, 250);
}

function closeDialog(entry) {
  clearInterval(entry.watch);
  openDialogs = openDialogs.filter(function (open) { return open !== entry; });
  if (entry.dialog.open) entry.dialog.close();
  if (entry.host.parentNode) entry.host.parentNode.removeChild(entry.host);
}

function money(cents, currency) {
  return new Intl.NumberFormat("en-AU", { style: "currency", currency: String(currency || "aud").toUpperCase() }).format(cents / 100);
}

// The bank's question. Resolves to "complete" or "fail"; closing it is a failure too.
function challenge(owner, intent) {
  return new Promise(function (resolve) {
    var complete = make("button", { "class": "btn", type: "button" }, ["Complete"]);
    var fail = make("button", { "class": "btn sec", type: "button" }, ["Fail"]);
    var entry = openDialog(owner, "challenge", "challenge-title", [make("div", { "class": "inside" }, [
      make("div", {}, [make("span", { "class": "bank" }, ["3-D Secure test page"])]),
      make("h2", { id: "challenge-title" }, ["Is this you?"]),
      make("p", {}, ["Your bank asks you to confirm a payment of ", make("strong", {}, [money(intent.amount, intent.currency)]), "."]),
      make("p", { "class": "note" }, ["In the sandbox the bank believes what you press."]),
      make("div", { "class": "stack" }, [complete, fail])
    ])]);
    keepAlive(entry);
    var answer = function (outcome) {
      return function (event) { event.preventDefault(); closeDialog(entry); resolve(outcome); };
    };
    complete.addEventListener("click", answer("complete"));
    fail.addEventListener("click", answer("fail"));
    entry.dialog.addEventListener("cancel", answer("fail"));
    // A browser may close a dialog without asking first; a second answer changes nothing.
    entry.dialog.addEventListener("close", function (event) { if (!entry.dialog.open) answer("fail")(event); });
    complete.focus();
  });
}
