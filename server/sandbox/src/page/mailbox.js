// The mailbox page: requests new mails every two seconds and shows the selected mail.
(function () {
  "use strict";
  var mails = [];
  var total = 0;
  var chosen = null;
  var byId = function (id) { return document.getElementById(id); };
  var list = byId("mails");
  var filter = byId("filter");

  function element(name, className, text) {
    var made = document.createElement(name);
    if (className) made.className = className;
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function time(at) {
    var date = new Date(at);
    var isToday = date.toDateString() === new Date().toDateString();
    return isToday ? date.toLocaleTimeString("en-AU", { hour: "2-digit", minute: "2-digit", second: "2-digit" })
      : date.toLocaleString("en-AU", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
  }

  function isShown(mail) {
    var wanted = filter.value.trim().toLowerCase();
    return !wanted || (mail.to + " " + mail.subject).toLowerCase().indexOf(wanted) >= 0;
  }

  function draw() {
    var focused = document.activeElement && document.activeElement.getAttribute("data-id");
    list.textContent = "";
    mails.filter(isShown).forEach(function (mail) {
      var item = element("li");
      var button = element("button");
      button.type = "button";
      button.setAttribute("data-id", mail.id);
      if (chosen === mail.id) button.setAttribute("aria-current", "true");
      var row = element("span", "row");
      row.appendChild(element("span", "to", mail.to));
      row.appendChild(element("time", "num", time(mail.at)));
      button.appendChild(row);
      button.appendChild(element("span", "subject", mail.subject));
      button.appendChild(element("span", "kind", mail.kind));
      item.appendChild(button);
      list.appendChild(item);
      if (focused === String(mail.id)) button.focus();
    });
    if (!list.children.length) {
      list.appendChild(element("li", "empty", mails.length ? "No mail matches." : "No mail yet. Buy a ticket to get one."));
    }
    byId("count").textContent = total + (total === 1 ? " mail so far." : " mails so far.");
  }

  function fact(name, value) {
    if (!value) return;
    byId("facts").appendChild(element("dt", "", name));
    byId("facts").appendChild(element("dd", "", value));
  }

  function show(mail) {
    chosen = mail.id;
    byId("nothing").hidden = true;
    byId("content").hidden = false;
    byId("mail").setAttribute("data-open", "");
    byId("subject").textContent = mail.subject;
    byId("facts").textContent = "";
    fact("To", mail.to);
    fact("From", mail.from);
    fact("Reply to", mail.replyTo);
    fact("Sent", new Date(mail.at).toLocaleString("en-AU"));
    fact("Message id", mail.messageId);
    byId("text").textContent = mail.text;
    // Links in a mail open in a new tab, as in a mail program.
    byId("frame").srcdoc = "<base target=\"_blank\">" + mail.html;
    select(mail.html ? "html" : "text");
    history.replaceState(null, "", "#" + mail.id);
    draw();
  }

  function select(form) {
    ["html", "text"].forEach(function (name) {
      var tab = byId("tab-" + name);
      tab.setAttribute("aria-selected", String(name === form));
      tab.tabIndex = name === form ? 0 : -1;
      byId("pane-" + name).hidden = name !== form;
    });
  }

  function refresh() {
    if (document.hidden) return;
    var newest = mails.length ? mails[0].id : 0;
    fetch("/sandbox/mailbox.json?limit=100&after=" + newest).then(function (answer) { return answer.json(); }).then(function (news) {
      if (total === news.total && total) return;
      total = news.total;
      mails = news.messages.concat(mails);
      draw();
      var wanted = Number(location.hash.slice(1));
      if (chosen === null && wanted) mails.filter(function (mail) { return mail.id === wanted; }).forEach(show);
    }, function () {});
  }

  function authenticate() {
    if (document.hidden) return;
    fetch("/sandbox/operator-code.json").then(function (answer) { return answer.json(); }).then(function (shown) {
      byId("code").textContent = shown.code.slice(0, 3) + " " + shown.code.slice(3);
      byId("left").textContent = shown.validForSeconds;
    }, function () {});
  }

  list.addEventListener("click", function (event) {
    var button = event.target.closest("button");
    if (!button) return;
    var id = Number(button.getAttribute("data-id"));
    mails.filter(function (mail) { return mail.id === id; }).forEach(show);
    if (getComputedStyle(byId("back")).display !== "none") byId("subject").focus();
  });
  byId("back").addEventListener("click", function () { byId("mail").removeAttribute("data-open"); });
  filter.addEventListener("input", draw);
  ["html", "text"].forEach(function (name) {
    byId("tab-" + name).addEventListener("click", function () { select(name); });
    byId("tab-" + name).addEventListener("keydown", function (event) {
      if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
      var other = name === "html" ? "text" : "html";
      select(other);
      byId("tab-" + other).focus();
    });
  });
  refresh();
  setInterval(refresh, 2000);
  authenticate();
  setInterval(authenticate, 1000);
})();
