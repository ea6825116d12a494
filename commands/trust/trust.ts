import {noun} from '../../src/command/command.ts';
import add from './trust-add.ts';
import revoke from './trust-revoke.ts';
import show from './trust-show.ts';

export default noun({
	name: 'trust',
	summary: 'What you trust here: instructions, settings, hooks',
	verbs: [show, add, revoke],
	fallback: 'show',
});
