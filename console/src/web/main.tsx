import { render } from "preact";
import { App } from "./app.tsx";
import { startKeys } from "./keys.ts";
import { startTheme } from "./theme.ts";
import "./faces.css";
import "./style.css";

startTheme();
startKeys();
render(<App />, document.getElementById("root") as HTMLElement);
