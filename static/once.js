// A form[data-once] is sent once: a second press does nothing while the first is under way, and the button says so.
for (const form of document.querySelectorAll("form[data-once]")) {
  const button = form.querySelector("button[type=submit]:is(.button--main, .button--bad)");
  const words = button.textContent;
  let sent = false;

  form.addEventListener("submit", (event) => {
    if (sent) {
      event.preventDefault();
      return;
    }
    sent = true;
    // Not disabled: it would lose the focus.
    button.setAttribute("aria-disabled", "true");
    button.textContent = form.dataset.once;
  });

  addEventListener("pageshow", () => {
    sent = false;
    button.removeAttribute("aria-disabled");
    button.textContent = words;
  });
}
