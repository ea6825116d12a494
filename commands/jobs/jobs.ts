import {noun} from '../../src/command/command.ts';
import list from './jobs-list.ts';
import show from './jobs-show.ts';
import stop from './jobs-stop.ts';

export default noun({
	name: 'jobs',
	summary: "The agent's commands in the background",
	verbs: [list, show, stop],
	fallback: 'list',
});
