import {noun} from '../../src/command/command.ts';
import off from './traces-off.ts';
import on from './traces-on.ts';
import status from './traces-status.ts';

export default noun({
	name: 'traces',
	summary: 'Send traces of runs to the server or an OTLP endpoint',
	verbs: [status, on, off],
	fallback: 'status',
});
