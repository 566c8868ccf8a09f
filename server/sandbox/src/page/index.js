// The sandbox's front page: copies card numbers, shows each account's totals, and sets faults.
(function () {
  "use strict";
  var form = document.getElementById("faults-form");
  var status = document.getElementById("faults-status");

  document.addEventListener("click", function (event) {
    var number = event.target.getAttribute && event.target.getAttribute("data-copy");
    if (!number) return;
    var told = document.getElementById("copied");
    var done = function () { told.textContent = "Copied " + number + "."; };
    if (navigator.clipboard) navigator.clipboard.writeText(number).then(done, function () { told.textContent = number; });
    else told.textContent = number;
  });

  function dollars(cents) {
    return (cents < 0 ? "-$" : "$") + (Math.abs(cents) / 100).toFixed(2);
  }

  function row(name, totals) {
    var line = document.createElement("tr");
    [name, String(totals.count), dollars(totals.captured), dollars(totals.refunded), dollars(totals.stripe_fees),
      dollars(totals.fees - totals.fees_refunded)].forEach(function (text, column) {
      var cell = document.createElement(column ? "td" : "th");
      if (column) cell.className = "right num"; else cell.scope = "row";
      cell.textContent = text;
      line.appendChild(cell);
    });
    return line;
  }

  function showLedger() {
    fetch("/sandbox/ledger").then(function (answer) { return answer.json(); }).then(function (ledger) {
      var body = document.getElementById("totals");
      body.textContent = "";
      Object.keys(ledger.accounts).forEach(function (name) {
        body.appendChild(row(name || "the platform", ledger.accounts[name]));
      });
      body.appendChild(row("All", ledger.total));
      var events = ledger.events;
      document.getElementById("events").textContent = "Webhooks: " + events.delivered + " delivered, " +
        events.pending + " waiting, " + events.lost + " lost.";
    }, function () {});
  }

  // An input's name, such as `rates.slow` or `webhook.lost`, is a path into the posted object.
  function read() {
    var faults = { rates: {}, webhook: {} };
    Array.prototype.forEach.call(form.elements, function (field) {
      var value = Number(field.value);
      if (!field.name || !value) return;
      var path = field.name.split(".");
      (path.length > 1 ? faults[path[0]] : faults)[path[path.length - 1]] = value;
    });
    return faults;
  }

  function fill(faults) {
    Array.prototype.forEach.call(form.elements, function (field) {
      if (!field.name) return;
      var path = field.name.split(".");
      var value = path.length > 1 ? (faults[path[0]] || {})[path[1]] : faults[path[0]];
      field.value = value || 0;
    });
  }

  function post(faults, said) {
    fetch("/sandbox/faults", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(faults) })
      .then(function (answer) { if (!answer.ok) throw new Error(String(answer.status)); return answer.json(); })
      .then(function (now) { fill(now); status.textContent = said; }, function (error) { status.textContent = "Not applied: " + error.message; });
  }

  form.addEventListener("submit", function (event) {
    event.preventDefault();
    post(read(), "Applied. Things go wrong from now on.");
  });
  document.getElementById("clear").addEventListener("click", function () { post({}, "All is well again."); });
  fetch("/sandbox/faults").then(function (answer) { return answer.json(); }).then(fill, function () {});
  showLedger();
  setInterval(function () { if (!document.hidden) showLedger(); }, 3000);
})();
