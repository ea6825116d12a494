import {noun} from '../../src/command/command.ts';
import list from './session-list.ts';
import show from './session-show.ts';
import unarchive from './session-unarchive.ts';

export default noun({
	name: 'session',
	summary: 'A session on this machine, or of the platform',
	verbs: [list, show, unarchive],
});
