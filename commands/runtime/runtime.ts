import {noun} from '../../src/command/command.ts';
import create from './runtime-create.ts';
import list from './runtime-list.ts';
import resume from './runtime-resume.ts';
import show from './runtime-show.ts';
import stop from './runtime-stop.ts';

export default noun({
	name: 'runtime',
	summary: 'Runtimes (durable sandboxes)',
	verbs: [list, show, create, resume, stop],
});
