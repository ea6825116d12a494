import {noun} from '../../src/command/command.ts';
import create from './env-create.ts';
import list from './env-list.ts';
import logs from './env-logs.ts';
import show from './env-show.ts';
import stop from './env-stop.ts';

export default noun({name: 'env', summary: 'Sandboxes that run tasks', verbs: [create, list, show, logs, stop]});
