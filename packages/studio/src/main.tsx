/** The studio: a page that shows a model while it trains, and everything inside of it. */
import { createRoot } from 'react-dom/client';
import { Attached } from './attached.tsx';
import { sources } from './data/sources.ts';
import { Studio } from './studio.tsx';
import { startTheme } from './ui/theme.ts';
import 'uplot/dist/uPlot.min.css';
import '@xyflow/react/dist/base.css';
import './style/base.css';
import './style/shell.css';
import './style/rooms.css';

startTheme();
const root = document.getElementById('studio');
const { run } = await sources();
if (root) createRoot(root).render(run ? <Attached sources={run} /> : <Studio />);
