import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import ElectorChooser from './ElectorChooser.vue';
import PlaygroundFigure from './PlaygroundFigure.vue';
import TtlCalculator from './TtlCalculator.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('ElectorChooser', ElectorChooser);
    app.component('PlaygroundFigure', PlaygroundFigure);
    app.component('TtlCalculator', TtlCalculator);
  },
} satisfies Theme;
