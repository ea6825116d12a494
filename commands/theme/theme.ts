import {noun} from '../../src/command/command.ts';
import list from './theme-list.ts';
import use from './theme-use.ts';

export default noun({
	name: 'theme',
	summary: 'Select or list colour themes',
	verbs: [use, list],
	fallback: 'use',
});
