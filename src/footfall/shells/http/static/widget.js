((h,a)=>{const k="(1.4em*var(--footfall-lines,2) + 2*var(--footfall-space,.5em))",O=/^(https?:\/)?\//i,C=`
    :host {
      all: unset !important; display: block !important; width: 100% !important; min-width: 10em !important;
      contain: layout style !important; contain: layout style inline-size !important;
    }
    section {
      min-height: calc(2em + var(--limit)*${k}); margin: var(--footfall-margin, 0); padding: var(--footfall-padding, 0);
      font: var(--footfall-font, inherit); color: var(--footfall-color, inherit); text-align: start;
      background: var(--footfall-background, none); border-radius: var(--footfall-radius, 0);
    }
    .h {
      height: 2em; margin: 0; font: inherit; font-weight: 700; line-height: 1.6em; white-space: nowrap;
      overflow: hidden; text-overflow: ellipsis; color: var(--footfall-heading-color, inherit);
    }
    ol { margin: 0; padding: 0; list-style: none; counter-reset: r; }
    li {
      box-sizing: border-box; display: flex; gap: .6em; height: calc${k}; padding: var(--footfall-space, .5em) 0 0;
      line-height: 1.4em; counter-increment: r; border-top: 1px solid var(--footfall-rule-color, #8886);
    }
    li::before {
      content: counter(r); min-width: 1.2em; font-weight: 700; font-variant-numeric: tabular-nums;
      color: var(--footfall-rank-color, inherit);
    }
    a {
      align-self: start; overflow: hidden; overflow-wrap: anywhere; color: var(--footfall-link-color, inherit);
      text-decoration: none; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: var(--footfall-lines, 2);
    }
    a:hover, a:focus-visible { text-decoration: underline; }
    a:focus-visible { outline: 2px solid; outline-offset: -2px; }`,p=l=>{try{return l()}catch{}},R=(l,n)=>{const v=Math.min(20,Math.max(1,parseInt(n.limit)||5)),M=n.refresh&&Math.max(30,parseInt(n.refresh)||0)*1e3,c=(t,i="")=>{const e=a.createElement(t);return e.textContent=i,e},r=c("div"),f=c("section");let g,m=1,b,y,S=0;const A=()=>{const t=r.attachShadow({mode:"open"}),i=p(()=>new CSSStyleSheet);i&&t.adoptedStyleSheets?(i.replaceSync(C),t.adoptedStyleSheets=[i]):t.append(c("style",C)),r.className="footfall-widget",f.lang=n.lang||"",f.style.setProperty("--limit",v),f.setAttribute("aria-labelledby","h"),t.append(f)},T=()=>{n.target?a.querySelector(n.target).append(r):l.after(r)},L=()=>{const t=[],i=(s,x)=>{const d=s.getBoundingClientRect();(x||d.height&&d.bottom>0&&d.top<h.innerHeight)&&t.push(d.left,d.top)},e=a.createRange();let o=r.isConnected?r:n.target?a.querySelector(n.target):l;for(n.target&&o==r&&(o=r.parentNode);o&&o!=a.documentElement;o=o.parentNode){i(o.parentNode,1);for(let s=o.nextSibling;s;s=s.nextSibling)e.selectNode(s),i(s.getBoundingClientRect?s:e)}return t+""},u=()=>{if(!(b&&!r.isConnected)&&(m!=r.isConnected&&(p(()=>{const[t,i]=m?[T,()=>r.remove()]:[()=>r.remove(),T],e=h.performance.getEntriesByType("paint")[0],o=e&&L();t(),e&&L()!=o&&i()}),b=r.isConnected),m!=r.isConnected&&!y)){y=1;const t=()=>setTimeout(()=>{y=0,u()},200);h.addEventListener("scroll",t,{capture:!0,once:!0,passive:!0})}},P=t=>{const i=t.filter(o=>String(o.title||"").trim()&&O.test(o.address||o.assetId)).slice(0,v).map(o=>[o.address||o.assetId,o.title]),e=JSON.stringify(i);if(i[0]&&e!=g&&!r.shadowRoot.activeElement){g=e;const o=c("ol");o.setAttribute("role","list");for(const[x,d]of i){const w=c("a",d);w.href=x,w.dir="auto";const N=c("li");N.append(w),o.append(N)}const s=c(/^[3-6]$/.test(n.level)?"h"+n.level:"h2",n.title||"Most read");s.className=s.id="h",f.textContent="",f.append(s,o)}},W=()=>{const t={author:n.author,brand:n.brand,exclude:n.exclude,limit:v*2,paidType:n.paid,period:n.period||"day",resourceType:n.type,section:n.section,sort:n.sort,tag:n.tag},i=Object.keys(t).filter(e=>t[e]).map(e=>e+"="+encodeURIComponent(t[e]).replace(/%2C/g,","));return new URL("v1/popular?"+i.join("&"),l.src)},E=()=>{const t=new AbortController,i=setTimeout(()=>t.abort(),8e3);new Promise(e=>e(h.fetch(W(),{signal:t.signal,credentials:"omit",referrerPolicy:"no-referrer"}))).then(e=>e.ok&&e.json()).then(e=>{P(e.items),S=0}).catch(()=>S++).then(()=>{clearTimeout(i),m=g?1:0,u(),_()}).catch(()=>{})},_=()=>{M&&setTimeout(I,M*(.9+Math.random()/5)*2**Math.min(S,5))},I=()=>{a.hidden?a.addEventListener("visibilitychange",()=>setTimeout(I,Math.random()*2e3),{once:!0}):(r.isConnected||!b)&&p(E)};A(),u(),a.addEventListener("DOMContentLoaded",u),E()};p(()=>{const l=a.currentScript;l.tagName=="SCRIPT"&&R(l,l.dataset)})})(window,document);
