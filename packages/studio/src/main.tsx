/** Entry point of the studio: a page that shows a model, its graph and its kernels while it trains. */
import { createRoot } from 'react-dom/client';
import { RemoteStudio } from './remote.tsx';
import { sources } from './data/sources.ts';
import { Studio } from './studio.tsx';
import { startTheme } from './ui/theme.ts';
import 'uplot/dist/uPlot.min.css';
import '@xyflow/react/dist/base.css';
import './style/base.css';
import './style/shell.css';
import './style/panels.css';

startTheme();
const root = document.getElementById('studio');
const { run } = await sources();
if (root) createRoot(root).render(run ? <RemoteStudio sources={run} /> : <Studio />);
