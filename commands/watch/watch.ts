import {noun} from '../../src/command/command.ts';
import start from './watch-start.ts';
import stop from './watch-stop.ts';

export default noun({name: 'watch', summary: 'Watches on logs', verbs: [start, stop], fallback: 'start'});
