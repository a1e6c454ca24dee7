// Counts down what the server said is left, on the monotonic clock; asks the server again when the tab wakes, and at zero.
// data-hold is the checkout's address: its own countdown, the one with data-ends, tells the time left.
const words = document.querySelector("[data-clock-words]");
const answered = performance.getEntriesByType("navigation")[0]?.responseStart || performance.now();

for (const countdown of document.querySelectorAll("[data-time-left-ms]")) {
  const clock = countdown.querySelector("[data-clock]");
  const { hold } = countdown.dataset;
  let deadline = answered + Number(countdown.dataset.timeLeftMs);
  let before = Infinity;
  let asking = false;
  let next;

  const over = (answer) => {
    clearTimeout(next);
    if ("ends" in countdown.dataset) return location.replace(answer.url);
    const banner = countdown.closest(".holding");
    if (answer.redirected) return banner.remove();
    banner.replaceChildren(Object.assign(document.createElement("p"), { textContent: countdown.dataset.over }));
  };

  const ask = async () => {
    if (asking) return;
    asking = true;
    // Offline it goes on counting, and asks again.
    const answer = await fetch(hold, { cache: "no-store" }).catch(() => undefined);
    if (answer?.status === 410 || answer?.redirected) return over(answer);
    const html = (await answer?.text().catch(() => "")) ?? "";
    const page = new DOMParser().parseFromString(html, "text/html");
    const left = page.querySelector("[data-ends]")?.dataset.timeLeftMs;
    if (left) deadline = performance.now() + Number(left);
    asking = false;
    tick();
  };

  const tick = () => {
    clearTimeout(next);
    const left = Math.max(0, deadline - performance.now());
    const seconds = Math.floor(left / 1000);
    clock.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    countdown.toggleAttribute("data-low", seconds < 120);
    for (const limit of [120, 30]) {
      const warning = countdown.dataset[`warn-${limit}`];
      // Said when it is passed, not to someone who arrives later.
      if (warning && before > limit && seconds <= limit && before < Infinity) words.textContent = warning;
    }
    before = seconds;
    next = left > 0 ? setTimeout(tick, (left % 1000) + 10) : setTimeout(ask, 1000);
  };

  document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && ask());
  addEventListener("pageshow", (event) => event.persisted && ask());
  tick();
}
