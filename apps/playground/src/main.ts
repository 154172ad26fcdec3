// First: what the page shows is a list that is made once.
import './guests.js';
import { mount } from 'svelte';
import App from './App.svelte';
import './app.css';

mount(App, { target: document.getElementById('app')! });
