drawAbout();
drawAccuracy();
drawWarnings();
drawRules();
drawCases();
drawModel();
document.getElementById("case").addEventListener("close", () => {
  if (location.hash.startsWith("#row-")) history.replaceState(null, "", location.pathname + location.search);
});
addEventListener("hashchange", openCase);
addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
openCase();
