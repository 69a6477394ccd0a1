"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");

  // The theme: that of the system until somebody asks for the other one.
  const key = "mcp-diff-theme";
  const remember = (value) => { try { localStorage.setItem(key, value); } catch { /* then it lasts as long as the page */ } };
  try {
    const kept = localStorage.getItem(key);
    if (kept === "dark" || kept === "light") root.dataset.theme = kept;
  } catch { /* no storage here */ }
  const dark = matchMedia("(prefers-color-scheme: dark)");
  document.getElementById("theme").addEventListener("click", () => {
    const now = root.dataset.theme || (dark.matches ? "dark" : "light");
    root.dataset.theme = now === "dark" ? "light" : "dark";
    remember(root.dataset.theme);
  });

  const form = document.getElementById("filters");
  if (!form) return;

  const index = JSON.parse(document.getElementById("index").textContent);
  const cards = Array.from(document.querySelectorAll(".change"));
  const entries = index.changes.map((change, place) => ({
    ...change, card: cards[place], text: null, methods: new Set(change.methods.map((each) => index.methods[each])),
  }));
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const groups = Array.from(document.querySelectorAll("section.group")).map((section) => ({
    section, number: section.querySelector("h3 .number"), cards: Array.from(section.querySelectorAll(".change")),
  }));
  const rows = Array.from(document.querySelectorAll("tr[data-method]"));
  const output = form.querySelector("output");
  const none = document.getElementById("none");
  const unfold = document.getElementById("unfold");
  const boxes = Array.from(form.querySelectorAll("[name=level]"));
  let shown = entries;

  const chosen = () => ({
    q: form.q.value,
    level: boxes.filter((box) => box.checked).map((box) => box.value),
    pairing: form.pairing.value,
    method: form.method.value,
    kind: form.kind.value,
  });

  const fits = (entry, want, words) => {
    if (want.level.length && !want.level.includes(entry[want.pairing || "level"])) return false;
    if (want.kind && entry.kind !== want.kind) return false;
    if (want.method === "-" ? entry.methods.size : want.method && !entry.methods.has(want.method)) return false;
    if (!words.length) return true;
    if (entry.text === null) entry.text = `${entry.id} ${entry.card.textContent}`.toLowerCase();
    return words.every((word) => entry.text.includes(word));
  };

  const apply = () => {
    const want = chosen();
    const words = want.q.toLowerCase().split(/\s+/).filter(Boolean);
    shown = entries.filter((entry) => {
      const keep = fits(entry, want, words);
      entry.card.hidden = !keep;
      return keep;
    });
    for (const group of groups) {
      const left = group.cards.filter((card) => !card.hidden).length;
      group.section.hidden = !left;
      group.number.textContent = left === group.cards.length ? left : `${left} of ${group.cards.length}`;
    }
    for (const row of rows) row.classList.toggle("chosen", row.dataset.method === want.method);
    none.hidden = shown.length > 0;
    output.value = shown.length === entries.length ? `${entries.length} changes` : `${shown.length} of ${entries.length} changes`;
    relabel();
  };

  // Filters are kept in the address, so that a view can be handed on.
  const write = () => {
    const want = chosen();
    const parts = Object.entries(want).filter(([, value]) => value.length)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const address = parts.length ? `#?${parts.join("&")}` : location.pathname + location.search;
    try { history.replaceState(null, "", address); } catch { /* not where the page is no document of its own */ }
  };

  const choose = (select, value) => {
    select.value = value;
    if (select.selectedIndex < 0) select.value = "";
  };

  const set = (want) => {
    form.q.value = want.get("q") || "";
    const levels = (want.get("level") || "").split(",");
    for (const box of boxes) box.checked = levels.includes(box.value);
    for (const name of ["pairing", "method", "kind"]) choose(form[name], want.get(name) || "");
    apply();
  };

  const decoded = (text) => { try { return decodeURIComponent(text); } catch { return text; } };

  const point = (entry) => {
    if (entry.card.hidden) set(new URLSearchParams());
    for (const other of document.querySelectorAll(".pointed")) other.classList.remove("pointed");
    entry.card.classList.add("pointed");
    entry.card.open = true;
    entry.card.scrollIntoView({ block: "start" });
    entry.card.firstElementChild.focus({ preventScroll: true });
  };

  const read = (moved) => {
    const hash = location.hash;
    if (hash.startsWith("#?")) {
      set(new URLSearchParams(hash.slice(2)));
      if (moved) document.getElementById("changes").scrollIntoView();
      return;
    }
    const entry = byId.get(hash.slice(1)) || byId.get(decoded(hash.slice(1)));
    if (entry) point(entry);
  };

  const relabel = () => {
    unfold.textContent = shown.length && shown.every((entry) => entry.card.open) ? "Fold all" : "Unfold all";
  };

  const step = (by) => {
    if (!shown.length) return;
    const now = shown.findIndex((entry) => entry.card.contains(document.activeElement));
    const next = now < 0 ? (by > 0 ? 0 : shown.length - 1) : Math.min(shown.length - 1, Math.max(0, now + by));
    const summary = shown[next].card.firstElementChild;
    summary.focus({ preventScroll: true });
    summary.scrollIntoView({ block: "nearest" });
  };

  let waiting = 0;
  const soon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => { apply(); write(); }, 60);
  };

  form.addEventListener("input", (event) => {
    if (event.target === form.q) { soon(); return; }
    apply();
    write();
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(() => { apply(); write(); }));
  unfold.addEventListener("click", () => {
    const open = unfold.textContent === "Unfold all";
    for (const entry of shown) entry.card.open = open;
    relabel();
  });
  addEventListener("hashchange", () => read(true));

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    const typing = target.matches("input[type=search], select, textarea");
    if (event.key === "Escape" && target === form.q) {
      form.q.value = "";
      form.q.blur();
      apply();
      write();
    } else if (target === form.q && event.key === "Enter") {
      event.preventDefault();
      clearTimeout(waiting);
      apply();
      write();
      step(1);
    } else if (typing) {
      return;
    } else if (event.key === "/") {
      event.preventDefault();
      form.q.focus();
      form.q.select();
    } else if (event.key === "j" || event.key === "k") {
      step(event.key === "j" ? 1 : -1);
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && target.closest(".change > summary")) {
      event.preventDefault();
      step(event.key === "ArrowDown" ? 1 : -1);
    }
  });

  // On paper nothing can be unfolded.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = shown.filter((entry) => !entry.card.open);
    for (const entry of folded) entry.card.open = true;
  });
  addEventListener("afterprint", () => { for (const entry of folded) entry.card.open = false; });

  apply();
  read(false);
  // Once more when the browser has gone there by itself, which takes the focus away.
  addEventListener("load", () => setTimeout(() => { if (!location.hash.startsWith("#?")) read(false); }));
})();
