// A page with data-again looks again after so many seconds, and goes on as soon as the answer is another than 202.
const seconds = Number(document.querySelector("[data-again]")?.dataset.again);

const look = async () => {
  try {
    const answer = await fetch(location.href, { cache: "no-store" });
    if (answer.ok && answer.status !== 202) return location.replace(answer.url);
  } catch {
    // Offline: it looks again.
  }
  setTimeout(look, seconds * 1000);
};

if (seconds) setTimeout(look, seconds * 1000);
