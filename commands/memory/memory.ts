import {noun} from '../../src/command/command.ts';
import edit from './memory-edit.ts';
import init from './memory-init.ts';
import show from './memory-show.ts';

export default noun({
	name: 'memory',
	summary: 'Instructions that the agent follows',
	verbs: [show, edit, init],
	fallback: 'show',
});
