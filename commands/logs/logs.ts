import {noun} from '../../src/command/command.ts';
import close from './logs-close.ts';
import hide from './logs-hide.ts';
import list from './logs-list.ts';
import show from './logs-show.ts';

export default noun({
	name: 'logs',
	summary: 'Logs in the log panel',
	verbs: [list, show, hide, close],
	fallback: 'list',
});
