import {noun} from '../../src/command/command.ts';
import create from './api-key-create.ts';
import list from './api-key-list.ts';
import revoke from './api-key-revoke.ts';

export default noun({name: 'api-key', summary: 'Your API keys on the server', verbs: [list, create, revoke]});
