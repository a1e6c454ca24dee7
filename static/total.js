// The running total of form[data-total]: how many seats are ticked and what they come to. The server decides.
for (const form of document.querySelectorAll("form[data-total]")) {
  const line = form.querySelector("[data-total-text]");
  const { currency, decimals, none, one, many, tooMany } = line.dataset;
  const most = Number(form.dataset.most);
  const money = new Intl.NumberFormat(document.documentElement.lang, {
    style: "currency",
    // As the server writes it.
    useGrouping: false,
    currency,
    minimumFractionDigits: Number(decimals),
    maximumFractionDigits: Number(decimals),
  });

  const part = (className, textContent) => Object.assign(document.createElement("span"), { className, textContent });

  const say = () => {
    const ticked = [...form.querySelectorAll("input[data-price]:checked")];
    const minor = ticked.reduce((sum, box) => sum + Number(box.dataset.price), 0);
    const count = ticked.length === 1 ? one : many.replace("{n}", ticked.length);
    const over = ticked.length > most;
    line.toggleAttribute("data-over", over);
    if (ticked.length === 0) line.textContent = none;
    else line.replaceChildren(part("bar__count", over ? `${count} · ${tooMany}` : count), " ", part("bar__sum", money.format(minor / 10 ** Number(decimals))));
  };

  form.addEventListener("change", say);
  // A browser may put back ticks of a former visit.
  addEventListener("pageshow", say);
}
