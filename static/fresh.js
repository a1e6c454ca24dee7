// A page that comes back from the browser's memory shows what was; this loads it anew.
// A page that answered a form says its own address in data-address, so that the form is not sent again.
addEventListener("pageshow", (event) => {
  if (!event.persisted) return;
  const { address } = document.body.dataset;
  if (address) location.replace(address);
  else location.reload();
});
