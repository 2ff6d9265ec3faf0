import { survives } from '../survives.ts'

survives('mem closure ctx', 'globalThis.h=()=>{const k=[];for(;;)k.push((function(){}).bind(null,new Array(100)))}')
