"use strict";
(function () {
  const at = (id) => document.getElementById(id);
  const post = (name, body) => fetch(name, { method: "POST", body }).then((r) => {
    if (!r.ok) return r.text().then((t) => Promise.reject(new Error(t)));
    return r.json();
  });
  const many = (n) => n.toLocaleString("en-US");

  // Work goes on as long as a page listens; the page of a task is loaded again when that ends.
  const task = at("task"), events = new EventSource("events");
  events.addEventListener("message", (e) => {
    if (!task) return;
    const now = JSON.parse(e.data);
    if (now.task !== task.dataset.task) {
      events.close();
      location.reload();
      return;
    }
    const bar = at("progress");
    if (now.total > 0) {
      bar.max = now.total;
      bar.value = now.done;
      at("phase").textContent = now.phase + ": " + many(now.done) + " of " + many(now.total);
    } else {
      bar.removeAttribute("value");
      at("phase").textContent = now.phase;
    }
  });

  // virtual shows the rows of a list that are in sight: fill makes one of a number.
  function virtual(list, fill) {
    const inner = list.querySelector("ul");
    let rows = [], high = 40;
    function draw() {
      const held = document.activeElement && list.contains(document.activeElement) ? document.activeElement : null;
      const key = held && held.closest("li") ? [held.closest("li").dataset.row, held.dataset.part] : null;
      const top = Math.min(list.scrollTop, rows.length * high - list.clientHeight); // the list may have become shorter
      const first = Math.max(0, Math.floor(top / high) - 3);
      const last = Math.min(rows.length, first + Math.ceil(list.clientHeight / high) + 7);
      const parts = [];
      for (let i = first; i < last; i++) {
        const li = document.createElement("li");
        li.dataset.row = rows[i];
        li.setAttribute("aria-setsize", rows.length);
        li.setAttribute("aria-posinset", i + 1);
        li.style.top = i * high + "px";
        fill(li, rows[i], i);
        parts.push(li);
      }
      inner.style.height = rows.length * high + "px";
      inner.replaceChildren(...parts);
      if (key) focusOn(key[0], key[1]);
    }
    function focusOn(row, part) {
      const li = list.querySelector('li[data-row="' + row + '"]'), to = li && li.querySelector('[data-part="' + part + '"]');
      if (to) to.focus({ preventScroll: true });
      else if (part) list.focus({ preventScroll: true });
    }
    list.addEventListener("scroll", () => requestAnimationFrame(draw));
    new ResizeObserver(() => requestAnimationFrame(draw)).observe(list);
    return {
      draw,
      show(all) {
        rows = all;
        high = 2.5 * parseFloat(getComputedStyle(document.documentElement).fontSize);
        draw();
      },
      // reach brings a row into sight and gives the keyboard to a part of it.
      reach(row, part) {
        const i = rows.indexOf(row);
        if (i * high < list.scrollTop || (i + 1) * high > list.scrollTop + list.clientHeight) list.scrollTop = Math.max(0, (i - 2) * high);
        draw();
        focusOn(String(row), part);
      },
      rows: () => rows,
    };
  }

  function part(li, tag, name, text, attributes) {
    const e = document.createElement(tag);
    e.className = name;
    if (text !== undefined) e.textContent = text;
    Object.entries(attributes || {}).forEach(([k, v]) => e.setAttribute(k, v));
    li.append(e);
    return e;
  }
  const records = (n) => (n === undefined ? "" : many(n) + (n === 1 ? " row" : " rows"));

  function columnPage() {
    const form = at("order"), list = at("values");
    const how = () => (form.querySelector("[name=how]:checked") || {}).value;
    let labels = [], counts = [], order = [], groups = [];
    const marked = new Set();

    const wanted = () => {
      const text = at("find").value.trim().toLowerCase();
      return order.filter((x) => text === "" || labels[x].toLowerCase().includes(text));
    };
    const box = virtual(list, (li, x) => (how() === "groups" ? groupRow : placeRow)(li, x));
    function show() {
      const rows = wanted();
      box.show(rows);
      at("found").textContent = many(rows.length) + " of " + many(labels.length);
      const left = labels.filter((_, x) => !groups[x]).length;
      at("left").textContent = how() === "groups" ? (left === 0 ? "Every value has a group." : many(left) + " have no group.") : "";
    }

    function move(x, to, name) {
      const from = order.indexOf(x);
      to = Math.max(0, Math.min(order.length - 1, to));
      if (!Number.isFinite(to) || to === from) return;
      order.splice(from, 1);
      order.splice(to, 0, x);
      show();
      box.reach(x, name);
    }
    let dragged = -1;
    function placeRow(li, x) {
      const place = order.indexOf(x);
      li.draggable = true;
      li.addEventListener("dragstart", (e) => {
        dragged = x;
        e.dataTransfer.effectAllowed = "move";
        e.dataTransfer.setData("text/plain", "");
      });
      li.addEventListener("dragover", (e) => {
        e.preventDefault();
        li.classList.add("over");
      });
      li.addEventListener("dragleave", () => li.classList.remove("over"));
      li.addEventListener("drop", (e) => {
        e.preventDefault();
        if (dragged >= 0) move(dragged, order.indexOf(x));
        dragged = -1;
      });
      const field = part(li, "input", "at", undefined, { "data-part": "at", inputmode: "numeric", autocomplete: "off",
        "aria-label": "Place of " + labels[x] });
      field.value = String(place + 1);
      field.addEventListener("change", () => move(x, Number(field.value.replace(/[.,\s]/g, "")) - 1, "at"));
      part(li, "span", "label", labels[x]);
      part(li, "span", "count", records(counts[x]));
      part(li, "button", "plain", "\u2191", { type: "button", "data-part": "up", "aria-label": "Move " + labels[x] + " up" })
        .addEventListener("click", () => move(x, place - 1, "up"));
      part(li, "button", "plain", "\u2193", { type: "button", "data-part": "down", "aria-label": "Move " + labels[x] + " down" })
        .addEventListener("click", () => move(x, place + 1, "down"));
    }
    function groupRow(li, x) {
      const label = part(li, "label", "label");
      const tick = part(label, "input", "", undefined, { type: "checkbox", "data-part": "tick" });
      tick.checked = marked.has(x);
      tick.addEventListener("change", () => (tick.checked ? marked.add(x) : marked.delete(x)));
      label.append(" " + labels[x]);
      part(li, "span", "count", records(counts[x]));
      part(li, "span", "in", groups[x] || "no group");
    }
    at("put").addEventListener("click", () => {
      const name = at("group").value.trim();
      if (name === "" || marked.size === 0) {
        at("left").textContent = name === "" ? "Name a group first." : "Mark values first.";
        return;
      }
      marked.forEach((x) => { groups[x] = name; });
      marked.clear();
      at("group-names").replaceChildren(...[...new Set(groups.filter(Boolean))].map((g) => {
        const o = document.createElement("option");
        o.value = g;
        return o;
      }));
      show();
    });
    at("mark").addEventListener("click", () => {
      box.rows().forEach((x) => marked.add(x));
      box.draw();
    });
    at("find").addEventListener("input", show);

    function panels() {
      form.querySelectorAll(".panel").forEach((p) => { p.hidden = !p.dataset.for.split(" ").includes(how()); });
      at("mark").hidden = how() !== "groups";
      show();
    }
    form.querySelectorAll("[name=how]").forEach((r) => r.addEventListener("change", panels));
    form.addEventListener("submit", () => {
      at("arrangement").value = JSON.stringify({ order, groups: labels.map((_, x) => groups[x] || "") });
    });
    panels();
    post("values").then((v) => {
      labels = v.labels || [];
      counts = v.records || [];
      groups = v.groups && v.groups.length === labels.length ? v.groups : [];
      order = v.order && v.order.length === labels.length ? v.order : labels.map((_, x) => x);
      panels();
      if (at("try")) tryPage(labels);
    }, fails);
  }

  const fails = (e) => {
    const p = part(document.querySelector("main"), "p", "wrong", e.message, { role: "alert" });
    p.scrollIntoView();
  };

  // tryPage shows the best replacements of a value.
  function tryPage(labels) {
    const box = virtual(at("try-values"), (li, x) => {
      part(li, "button", "label", labels[x], { type: "button", "data-part": "try" }).addEventListener("click", () => near(x));
    });
    const show = () => {
      const text = at("try-find").value.trim().toLowerCase();
      box.show(labels.map((_, x) => x).filter((x) => labels[x].toLowerCase().includes(text)));
    };
    at("try-find").addEventListener("input", show);
    show();
    function near(x) {
      post("nearest", String(x)).then((v) => {
        const table = document.createElement("table"), head = document.createElement("caption");
        head.textContent = "Best for " + v.value + ", the best first";
        table.append(head);
        const body = document.createElement("tbody");
        v.best.forEach((n) => {
          const tr = part(body, "tr", "");
          part(tr, "th", "", n.label, { scope: "row" });
          part(tr, "td", "", n.worth);
        });
        table.append(body);
        at("nearest").replaceChildren(table);
        const dot = (p) => (p ? "M" + p[0] + " " + p[1] + "h0" : "");
        if (at("map")) {
          at("map").querySelector(".picked").setAttribute("d", dot(v.at));
          at("map").querySelector(".near").setAttribute("d", v.best.map((n) => dot(n.at)).join(""));
        }
      }, fails);
    }
  }

  // choosePage takes the point that the page of the frontier shows: its command says all of it.
  function choosePage() {
    const frame = at("frontier"), take = at("take");
    let shown = "";
    function follow() {
      const inside = frame.contentDocument, card = inside && inside.querySelector(".stop:not([hidden])");
      if (!card) return;
      const command = card.querySelector("pre").textContent;
      if (command === shown) return;
      shown = command;
      // The last lines are the page's own; above them stands the job file.
      const flag = (name) => {
        const all = [...command.matchAll(new RegExp("^ *--" + name + " ([^ ]+)(?: \\\\)?$", "gm"))];
        return all.length > 0 ? all[all.length - 1][1].replace(/^'(.*)'$/, "$1") : "";
      };
      ["epsilon", "floor-rank", "floor-value"].forEach((n) => { take.elements[n].value = flag(n); });
      take.elements.shift.value = flag("max-shift");
      take.elements.shown.value = frame.contentWindow.location.hash;
      at("point").textContent = card.querySelector("h3").textContent + "; epsilon " + flag("epsilon") + (flag("max-shift") === "none" ? ", shares not limited." : ", shares within " + flag("max-shift") + ".");
      post("words", flag("epsilon")).then((w) => {
        const text = ["At epsilon " + w.epsilon + " seeing a published value makes a guess at most " + w.times + " times as likely to be right."];
        w.before.forEach((b, i) => text.push("One right in " + b + " of 100 becomes right in at most " + w.after[i] + "."));
        at("worth").textContent = text.join(" ");
      }, fails);
    }
    const watch = () => {
      new MutationObserver(follow).observe(frame.contentDocument, { subtree: true, attributes: true, attributeFilter: ["hidden"] });
      follow();
    };
    frame.addEventListener("load", watch);
    if (frame.contentDocument && frame.contentDocument.readyState === "complete" && frame.contentDocument.querySelector(".stop")) watch();
  }

  // columnsForm says while columns are kept and dropped what a release would say.
  function columnsForm() {
    const form = at("columns"), verdict = at("verdict"), leave = at("leave");
    if (!verdict) return;
    const drop = verdict.dataset.drop.split("\n").filter(Boolean);
    leave.textContent = "Leave out " + drop.join(", ");
    function judge() {
      const keeps = new Set([...form.querySelectorAll("[name=keep]:checked")].map((c) => c.value));
      let refused = 0;
      form.querySelectorAll(".finding").forEach((f) => {
        const columns = JSON.parse(f.dataset.columns);
        f.hidden = !columns.every((c) => keeps.has(c));
        if (!f.hidden && "refused" in f.dataset) refused++;
      });
      verdict.textContent = refused > 0 ? "A release with these would be refused." : "Of these columns nothing would be refused.";
      verdict.classList.toggle("wrong", refused > 0);
      leave.hidden = refused === 0 || drop.length === 0;
    }
    leave.addEventListener("click", () => {
      form.querySelectorAll("[name=keep]").forEach((c) => { if (drop.includes(c.value)) c.checked = false; });
      judge();
    });
    form.addEventListener("change", judge);
    judge();
  }

  if (at("order")) columnPage();
  if (at("frontier")) choosePage();
  if (at("columns")) columnsForm();
})();
