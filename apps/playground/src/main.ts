// First: what the page shows is a list that is made once, and its drawings read their colours from the style sheet once.
import './guests.js';
import './app.css';
import { mount } from 'svelte';
import App from './App.svelte';

mount(App, { target: document.getElementById('app')! });
