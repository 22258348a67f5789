// The dashboard begins here.
import { render } from "preact";
import { followHistory } from "./address.ts";
import { App } from "./app.tsx";
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { followSystem, showTheme, theme } from "./theme.ts";

showTheme(theme.value);
followSystem();
followHistory();
const root = document.getElementById("app");
if (root) {
  root.replaceChildren();
  render(<App />, root);
}
