import {noun} from '../../src/command/command.ts';
import disable from './model-disable.ts';
import enable from './model-enable.ts';
import list from './model-list.ts';
import use from './model-use.ts';

export default noun({
	name: 'model',
	summary: 'Select or list models',
	verbs: [list, use, enable, disable],
	fallback: 'use',
});
