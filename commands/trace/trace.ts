import {noun} from '../../src/command/command.ts';
import artifact from './trace-artifact.ts';
import push from './trace-push.ts';

export default noun({name: 'trace', summary: 'Traces and their artifacts', verbs: [push, artifact]});
