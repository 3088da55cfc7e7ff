/** The studio: a page that shows a model while it trains, and everything inside of it. */
import { createRoot } from 'react-dom/client';
import { Studio } from './studio.tsx';
import { startTheme } from './ui/theme.ts';
import 'uplot/dist/uPlot.min.css';
import '@xyflow/react/dist/base.css';
import './style/base.css';
import './style/shell.css';
import './style/rooms.css';

startTheme();
const root = document.getElementById('studio');
if (root) createRoot(root).render(<Studio />);
