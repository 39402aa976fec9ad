drawAbout();
drawWarnings();
drawTop();
drawRules();
drawCases();
drawAccuracy();
drawModel();
document.getElementById("case").addEventListener("close", (event) => {
  // Another case may have been asked for since.
  if (location.hash === event.target.dataset.opened) history.replaceState(null, "", location.pathname + location.search);
});
addEventListener("hashchange", openCase);
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
// Cards come after this script, so that the page is drawn before they are read.
addEventListener("DOMContentLoaded", openCase);
