// Part 6: dialogs. A dialog opens inside its element, because a modal of the page would take the
// focus from a dialog outside it.

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

// Returns the light DOM node around an element: its mount point, or the page's body.
function homeOf(owner) {
  var place = owner && owner.host && owner.host.isConnected && owner.host.parentNode;
  return place || document.body;
}

// Moves an open dialog to the page before its element is removed, because the buyer is still using
// the dialog.
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
  // A dialog that was moved in the DOM is open but no longer modal, so it is closed and opened
  // again.
  entry.dialog.close();
  entry.dialog.showModal();
}

// Watches for a page that redraws itself and removes the dialog's parent without notifying the
// element.
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

// Shows the bank's 3-D Secure challenge. Resolves to "complete" or "fail". Closing the dialog
// resolves to "fail".
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
    // Some browsers close a dialog without a cancel event. A second call of `answer` has no effect.
    entry.dialog.addEventListener("close", function (event) { if (!entry.dialog.open) answer("fail")(event); });
    complete.focus();
  });
}
