import {noun} from '../../src/command/command.ts';
import send from './bg-send.ts';

export default noun({
	name: 'bg',
	summary: 'Send the run to the background and start a new session',
	verbs: [send],
	fallback: 'send',
});
