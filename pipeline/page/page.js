"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const floor = at("floor"), epsilon = at("epsilon"), shift = at("shift"), share = at("share");
  const cards = Array.from(document.querySelectorAll(".stop"));
  const drawing = document.querySelector(".chart svg"), ring = document.querySelector(".tp-chosen");
  const faint = Array.from(document.querySelectorAll(".tp-faint"));
  let now = -1, most = null; // most: the epsilon that was typed, null where none is held
  let before = null; // what was shown when typing began: what is typed halfway moves the page, too

  // places are the stops at a limit of the shift, the worst floor first.
  const places = (limit) => data.stops.map((s, i) => i).filter((i) => data.stops[i].limit === limit);

  function say(text, wrong) {
    at("said").textContent = text;
    at("said").classList.toggle("wrong", Boolean(wrong));
  }

  // times is how many times as likely a guess becomes, rounded up.
  function times(nats) {
    const f = Math.exp(nats), up = f < 100 ? Math.ceil(f * 100 - 1e-9) / 100 : Math.ceil(f - 1e-9);
    return up < 1e15 ? up.toLocaleString("en-US", { maximumFractionDigits: 2 }) : "more than 10^15";
  }

  // show shows stop i, and sets every control but the one that moved it.
  function show(i, by) {
    const s = data.stops[i], all = places(s.limit);
    cards.forEach((c, k) => { c.hidden = k !== i; });
    document.querySelectorAll("tr.chosen").forEach((r) => r.classList.remove("chosen"));
    at("row-" + i).classList.add("chosen");
    if (ring) ring.setAttribute("transform", "translate(" + s.x + " " + s.y + ")");
    faint.forEach((p, k) => p.classList.toggle("now", k + 1 === s.limit));
    now = i;
    floor.max = String(all.length - 1);
    floor.value = String(all.indexOf(i));
    floor.setAttribute("aria-valuetext", s.words + ", epsilon " + s.ask);
    if (by !== epsilon) {
      epsilon.value = s.ask;
      epsilon.removeAttribute("aria-invalid");
    }
    at("epsilon-note").textContent = "at most " + (by === epsilon && most !== null ? times(most) : s.likely) + " times as likely";
    if (shift) {
      shift.value = String(s.limit);
      shift.setAttribute("aria-valuetext", data.limits[s.limit].words);
      if (by !== share) {
        share.value = data.limits[s.limit].asked || "none";
        share.removeAttribute("aria-invalid");
      }
      at("share-note").textContent = s.limit > 0 ? "of all records" : "no limit";
    }
    remember();
  }

  // within goes to the best of what was searched that costs no more than what was typed, at a limit.
  function within(limit, by) {
    const all = places(limit), best = all.filter((i) => data.stops[i].epsilon <= most + 1e-9).pop();
    const where = limit > 0 ? " with shares within " + data.limits[limit].asked : "";
    if (best === undefined) {
      show(all[0], by);
      say("Of what was searched, nothing costs so little" + where + ": the least is " + data.stops[all[0]].ask + ".", true);
      return;
    }
    show(best, by);
    if (limit === 0 && data.bad !== null && most >= data.bad) {
      say("Epsilon " + round(most) + ", " + times(most) + " times: the data stays as it is. Less than " +
        round(data.bad) + " changes something.", true);
      return;
    }
    const exact = data.stops[best].best && Math.abs(data.stops[best].epsilon - most) <= 1e-9;
    say("Epsilon " + round(most) + where + " buys" + (exact ? ": " : " at least: ") + data.stops[best].words + ".");
  }

  const round = (v) => String(Math.round(v * 1e4) / 1e4);
  const decimal = "(\\d+(?:[.,]\\d+)?|[.,]\\d+)";
  const number = (text) => Number(text.replace(",", "."));

  // readEpsilon is what was typed, in nats, or what is wrong with it.
  function readEpsilon(text) {
    const t = text.toLowerCase().replace(/\s+/g, "");
    const log = new RegExp("^(?:log|ln)\\(" + decimal + "(?:/" + decimal + ")?\\)$").exec(t);
    if (log) {
      const f = number(log[1]) / (log[2] ? number(log[2]) : 1);
      if (!(f >= 1) || !Number.isFinite(f)) return { wrong: "The logarithm of a factor below 1 is negative: type log(4), or log(7/3)." };
      return { value: Math.log(f) };
    }
    if (new RegExp("^" + decimal + "$").test(t)) return { value: number(t) };
    if (/%$/.test(t)) return { wrong: "Epsilon is no share of records: type a number such as 1.4, or log(4)." };
    if (/^-/.test(t)) return { wrong: "Epsilon is never below 0: type a number such as 1.4, or log(4)." };
    return { wrong: "\u201c" + text.trim().slice(0, 20) + "\u201d is no epsilon: type a number such as 1.4 or 1,4, or log(4)." };
  }

  // readShare is what was typed, as a part of all records, Infinity for no limit, or
  // what is wrong with it.
  function readShare(text) {
    const t = text.toLowerCase().replace(/\s+/g, "");
    if (t === "none" || t === "any" || t === "nolimit") return { value: Infinity };
    const percent = new RegExp("^" + decimal + "%$").exec(t), parts = new RegExp("^" + decimal + "/" + decimal + "$").exec(t);
    let v = NaN;
    if (percent) v = number(percent[1]) / 100;
    else if (parts) v = number(parts[1]) / number(parts[2]);
    else if (new RegExp("^" + decimal + "$").test(t)) v = number(t);
    if (!percent && v > 1) return { wrong: "A share is at most 1: type \u201c" + text.trim().slice(0, 20) + " %\u201d if that is meant." };
    if (v > 1) return { wrong: "A share is at most 100 %." };
    if (!(v >= 0)) return { wrong: "\u201c" + text.trim().slice(0, 20) + "\u201d is no share: type 5 %, 0.05, 1/20 or none." };
    return { value: v };
  }

  function refuse(field, text) {
    if (before) {
      most = before.most;
      show(before.now, field);
    }
    if (text === "") field.removeAttribute("aria-invalid");
    else field.setAttribute("aria-invalid", "true");
    say(text, true);
  }

  // besides is the stop at a limit whose floor is nearest to that shown.
  function besides(limit) {
    const x = data.stops[now].x, all = places(limit);
    return all.reduce((a, b) => (Math.abs(data.stops[b].x - x) < Math.abs(data.stops[a].x - x) ? b : a), all[0]);
  }

  function narrow(limit, by) {
    if (places(limit).length === 0) {
      say("Nothing was found within " + data.limits[limit].asked + " in the time there was.", true);
      return;
    }
    if (most !== null) {
      within(limit, by);
      return;
    }
    show(besides(limit), by);
    say(data.stops[now].words + ", shares " + data.limits[limit].words + ": epsilon " + data.stops[now].ask + ".");
  }

  floor.addEventListener("input", () => {
    most = null;
    say("");
    show(places(data.stops[now].limit)[Number(floor.value)], floor);
  });
  const begin = (field) => {
    before = { now, most };
    field.select();
  };
  epsilon.addEventListener("focus", () => begin(epsilon));
  epsilon.addEventListener("input", () => {
    if (epsilon.value.trim() === "") {
      refuse(epsilon, "");
      return;
    }
    const read = readEpsilon(epsilon.value);
    if (read.wrong) {
      refuse(epsilon, read.wrong);
      return;
    }
    epsilon.removeAttribute("aria-invalid");
    most = read.value;
    within(data.stops[now].limit, epsilon);
  });
  if (shift) {
    shift.addEventListener("input", () => narrow(Number(shift.value), shift));
    share.addEventListener("focus", () => begin(share));
    share.addEventListener("input", () => {
      if (share.value.trim() === "") {
        refuse(share, "");
        return;
      }
      const read = readShare(share.value);
      if (read.wrong) {
        refuse(share, read.wrong);
        return;
      }
      const size = (l) => (l.asked === "" ? Infinity : readShare(l.asked).value);
      const fits = data.limits.findIndex((l, k) => size(l) <= read.value + 1e-12 && places(k).length > 0);
      if (fits < 0) {
        refuse(share, "No design is here for so small a limit: tacet frontier --max-shift " + share.value.replace(/\s+/g, "").replace(",", ".") +
          " searches it.");
        return;
      }
      share.removeAttribute("aria-invalid");
      narrow(fits, share);
    });
  }

  if (drawing) {
    drawing.addEventListener("click", (e) => {
      const p = new DOMPoint(e.clientX, e.clientY).matrixTransform(drawing.getScreenCTM().inverse());
      const far = (s) => Math.hypot(s.x - p.x, s.y - p.y);
      let best = 0;
      data.stops.forEach((s, i) => { if (far(s) < far(data.stops[best]) || far(s) === far(data.stops[best]) && s.limit === data.stops[now].limit) best = i; });
      most = null;
      say("");
      show(best, drawing);
    });
  }
  const suggested = at("suggested");
  if (suggested) {
    suggested.hidden = false;
    suggested.addEventListener("click", () => {
      most = null;
      say("");
      show(data.suggested, suggested);
    });
  }

  // copied puts a text into the clipboard, by the older way where the browser refuses.
  async function copied(code) {
    try {
      await navigator.clipboard.writeText(code.textContent);
      return true;
    } catch {
      const range = document.createRange(), selection = window.getSelection();
      range.selectNodeContents(code);
      selection.removeAllRanges();
      selection.addRange(range);
      return document.execCommand("copy");
    }
  }
  document.querySelectorAll(".copy").forEach((b) => {
    b.hidden = false;
    b.addEventListener("click", async () => {
      const card = b.closest(".stop"), done = await copied(card.querySelector("pre code"));
      card.querySelector(".copied").textContent = done ? "Copied." : "It is selected: copy it with the keys of your system.";
    });
  });

  // The address keeps what is shown, without a label of the data.
  function remember() {
    const s = data.stops[now], state = new URLSearchParams(s.best ? { epsilon: s.ask } : { floor: s.key });
    if (s.limit > 0) state.set("shares", data.limits[s.limit].asked);
    history.replaceState(null, "", "#" + state);
  }
  function restore() {
    const state = new URLSearchParams(location.hash.slice(1));
    const limit = data.limits.findIndex((l) => l.asked === (state.get("shares") || ""));
    const named = (s) => (s.best ? s.ask === state.get("epsilon") : s.key === state.get("floor"));
    const i = data.stops.findIndex((s) => s.limit === limit && named(s));
    most = null;
    show(i < 0 ? data.start : i);
  }
  window.addEventListener("hashchange", restore);

  at("controls").hidden = false;
  restore();
})();
