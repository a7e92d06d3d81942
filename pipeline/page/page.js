"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const floor = at("floor"), epsilon = at("epsilon"), letter = at("letter");
  const stops = Array.from(document.querySelectorAll(".stop"));
  const ring = document.querySelector(".tp-chosen");
  let now = -1;

  function become() {
    const l = data.letters[Number(letter.value)], out = at("outputs");
    if (!l) return;
    const allowed = l.allowed[now], names = l.best.slice(0, allowed);
    const part = (text, name) => {
      const e = document.createElement(name ? "bdi" : "span");
      if (name) e.className = "label";
      e.textContent = text;
      out.append(e);
    };
    out.textContent = "";
    part(l.label, true);
    part(" may become " + allowed + (allowed === 1 ? " value: " : " values, the best first: "));
    names.forEach((o, i) => {
      if (i > 0) part(", ");
      part(data.outputs[o], true);
    });
    part(allowed > names.length ? " and " + (allowed - names.length) + " more." : ".");
  }

  function show(i) {
    if (i === now) return;
    now = i;
    stops.forEach((s, k) => { s.hidden = k !== i; });
    document.querySelectorAll("tr.chosen").forEach((r) => r.classList.remove("chosen"));
    at("row-" + i).classList.add("chosen");
    const s = data.stops[i];
    if (ring) ring.setAttribute("transform", "translate(" + s.x + " " + s.y + ")");
    floor.value = String(i);
    floor.setAttribute("aria-valuetext", s.words + ", epsilon " + s.epsilon);
    become();
  }

  floor.addEventListener("input", () => { epsilon.value = ""; at("said").textContent = ""; show(Number(floor.value)); });
  epsilon.addEventListener("input", () => {
    const most = Number(epsilon.value);
    if (epsilon.value === "" || !(most >= 0)) { at("said").textContent = ""; return; }
    let best = -1;
    data.stops.forEach((s, i) => { if (s.epsilon <= most) best = i; });
    if (best < 0) {
      at("said").textContent = "No floor costs so little: the least is " + data.stops[0].epsilon + ".";
      return;
    }
    show(best);
    at("said").textContent = "Epsilon " + most + " buys: " + data.stops[best].words + ".";
  });
  letter.addEventListener("change", become);

  at("controls").hidden = false;
  at("values-section").hidden = data.letters.length === 0;
  show(Number(floor.value));
})();
