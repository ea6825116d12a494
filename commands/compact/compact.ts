import {noun} from '../../src/command/command.ts';
import now from './compact-now.ts';
import undo from './compact-undo.ts';

export default noun({
	name: 'compact',
	summary: 'Make room in the context window',
	verbs: [now, undo],
	fallback: 'now',
});
