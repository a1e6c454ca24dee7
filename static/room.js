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

  // The chosen seats, or the first free row in the middle of the room, or the stage.
  const chosen = frame.querySelector(".seat:has(:checked)");
  const seat = chosen ?? frame.querySelector(".seat:has(:enabled)");
  if (seat) {
    middle = {
      x: chosen ? (seat.offsetLeft + seat.offsetWidth / 2) / room.offsetWidth : 0.5,
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
