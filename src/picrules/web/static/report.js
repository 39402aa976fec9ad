// The scripts of the report draw the parts that this page has.
function showRule(place) {
  location.assign("/cases?rule=" + place);
}

function showFlag(flag) {
  location.assign("/cases?flag=" + content.flags.indexOf(flag));
}

for (const [id, draw] of [["accuracy", drawAccuracy], ["warnings", drawWarnings], ["rules", drawRules], ["model", drawModel]]) {
  if (document.getElementById(id)) draw();
}
