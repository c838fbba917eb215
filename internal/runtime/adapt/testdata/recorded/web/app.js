// Here for linters to look at.
function ask(words) {
  return eval(words) == null;
}
ask("1");
