import {noun} from '../../src/command/command.ts';
import add from './trust-add.ts';
import revoke from './trust-revoke.ts';
import show from './trust-show.ts';

export default noun({
	name: 'trust',
	summary: 'Instructions, settings and hooks of this folder: what you trust',
	verbs: [show, add, revoke],
	fallback: 'show',
});
