// Brings the desk up to date every five seconds, and leaves alone whatever a person is at: ticked boxes, a focused field, an
// open form, a marked text.

const EVERY_MS = 5000;
const desk = document.querySelector("[data-refresh]");
const stale = desk?.querySelector("[data-stale]");

const marked = (node) => !getSelection().isCollapsed && getSelection().containsNode(node, true);
const busy = (node) => node.contains(document.activeElement) || node.querySelector("details[open]") || marked(node);

function bringList(list, fresh) {
  const ids = new Set([...fresh.children].map((child) => child.id));
  for (const child of [...list.children]) {
    if (!ids.has(child.id) && !busy(child)) child.remove();
  }
  let last = null;
  for (const next of [...fresh.children]) {
    const here = document.getElementById(next.id);
    if (here && (busy(here) || here.isEqualNode(next))) {
      last = here;
      continue;
    }
    if (here) here.replaceWith(next);
    else if (last) last.after(next);
    else list.prepend(next);
    last = next;
  }
}

function bringSeat(seat, fresh) {
  const [box, next] = [seat.querySelector("input"), fresh.querySelector("input")];
  if (seat.className !== fresh.className) seat.className = fresh.className;
  box.setAttribute("aria-label", next.getAttribute("aria-label"));
  // A box that may not be ticked any more is unticked, but keeps the focus if it has it.
  if (next.disabled) box.checked = false;
  if (box !== document.activeElement) box.disabled = next.disabled;
}

async function bring() {
  if (document.hidden) return;
  const answer = await fetch(desk.dataset.refresh, { cache: "no-store", signal: AbortSignal.timeout(10_000) });
  // Logged out: the page itself leads to the log-in.
  if (answer.redirected) return location.assign(desk.dataset.refresh);
  if (!answer.ok) throw new Error(answer.statusText);
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const list of fresh.querySelectorAll("[data-live]")) bringList(document.getElementById(list.id), list);
  for (const seat of fresh.querySelectorAll("[data-seat]")) bringSeat(document.getElementById(seat.id), seat);
}

async function again() {
  const failed = await bring().then(() => false, () => true);
  stale.hidden = !failed;
  setTimeout(again, EVERY_MS);
}

if (desk) setTimeout(again, EVERY_MS);
