import { mount } from 'svelte';
import App from './App.svelte';
import './screens/today/Screen.svelte'; // most visits begin there: no second request for it
import { startRouter } from './app/router.svelte';
import { registerWorker } from './lib/worker';
import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/layout.css';
import './styles/tables.css';
import './styles/print.css';

startRouter();
mount(App, { target: document.getElementById('app')! });
registerWorker();
