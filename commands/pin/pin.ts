import {noun} from '../../src/command/command.ts';
import add from './pin-add.ts';
import list from './pin-list.ts';
import remove from './pin-remove.ts';

export default noun({
	name: 'pin',
	summary: 'Messages that compactions keep word for word',
	verbs: [add, list, remove],
	fallback: 'add',
});
