// The room's frame: opens where the seats are, and keeps its middle when one zooms. Dragging is the browser's own scrolling.
for (const frame of document.querySelectorAll("[data-room]")) {
  const room = frame.querySelector(".room");
  const steps = [...frame.closest("form").querySelectorAll("[data-zoom] input")];
  let middle = { x: 0.5, y: 0 };

  const remember = () => {
    middle = {
      x: (frame.scrollLeft + frame.clientWidth / 2) / room.offsetWidth,
      y: (frame.scrollTop + frame.clientHeight / 2) / room.offsetHeight,
    };
  };

  const settle = () => {
    frame.scrollLeft = middle.x * room.offsetWidth - frame.clientWidth / 2;
    frame.scrollTop = middle.y * room.offsetHeight - frame.clientHeight / 2;
  };

  // The chosen seats, or the middle of the first row with a free one; else the stage.
  const row = frame.querySelector(".room__row:has(:enabled)")?.children ?? [];
  const seat = frame.querySelector(".seat:has(:checked)") ?? row[Math.floor(row.length / 2)];
  if (seat) {
    middle = {
      x: (seat.offsetLeft + seat.offsetWidth / 2) / room.offsetWidth,
      y: (seat.offsetTop + seat.offsetHeight / 2) / room.offsetHeight,
    };
  }

  // The step that the style sheet took by itself, so that the choice shows it.
  if (!steps.some((step) => step.checked)) {
    const fits = room.offsetWidth <= frame.clientWidth && room.offsetHeight <= frame.clientHeight;
    steps.find((step) => step.value === (fits ? "fit" : "seat")).checked = true;
  }
  settle();

  for (const step of steps) step.addEventListener("change", settle);
  frame.addEventListener("scroll", remember, { passive: true });
  new ResizeObserver(settle).observe(frame);
}
