import {init} from './memory.ts';

/** `/memory init` under the name that users of other agents type. */
export default init;
