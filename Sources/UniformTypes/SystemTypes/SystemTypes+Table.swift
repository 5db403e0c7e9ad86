// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0
// Written by .ci/system-types.swift; changes here are lost.
// swift-format-ignore-file

extension SystemTypes {
  /// The number of types that Apple declares. Indices from this number on belong to types of other owners.
  static let appleCount = 986
  /// The number of declared types. Indices from this number on belong to parents without a declaration.
  static let declaredCount = 1191
  static let count = 1192
  /// The offset of the rows of keys, which end before the last byte.
  static let keysStart = 64226

  static let blob: StaticString = #"""
    0gh0hW0iJ0kM0l>0m50n<0nn10G12_13V14R15315k16b17Y18G19F1:01:e1;B1;[1<R1<c1=B1=a1>B1>`1>o1?J1?b1@:1@S1A71AQ1BD1Bn1\#
    Ce1DP1Di1Ef1FO1G01GY1H11H\1II1J;1K01K^1LK1N81N\1O]1On1PJ1P`1Q<1R71Re1So1U<1V81V`1WD1X91Y31Yj1Zm1\01\_1]<1]j1^B1_\#
    B1_b1`D1`Z1`n1aH1am1bG1c31dP1eL1fZ1gj1hb1i=1iW1j61jX1jl1kN1l?1lm1mE1mn1nZ1oH20F21421e22=22m23J24C24\25I25]26F26^\#
    27Z28828g29T2:G2<62=32=_2>V2?P2?m2@W2AK2Ae2BL2C?2Cl2DK2Dc2EP2FK2Fh2GE2G]2H52HR2Hf2IU2J>2K12Kh2LX2Mi2O72Ol2Pe2R@2\#
    S`2TY2UF2V72WF2X[2YK2Yi2Z[2[Q2\P2]C2^32^L2^n2_[2`P2a>2b42b]2cR2dF2e=2en2fc2gU2hW2iQ2jC2k=2l02ld2mW2nA2ne2oJ30730\#
    a31L31o32J32k33G33g34E34i35J35m36<37@37X38038F38^39639N39f3:>3:V3:n3;D3;Z3<03<F3<\3=23=H3=e3>;3>Q3>g3?=3?S3?k3@C\#
    3@[3A13AI3Aa3B93BQ3Bo3Ck3Dj3E]3FO3GG3HN3I=3J23JW3K13KP3Kf3L>3L[3M93MU3N13O23P33Q43QU3R[3Sa3Tg3UG3VL3WQ3X[3Y13YO3\#
    Yj3ZE3Zc3[C3\43\e3]V3^43^R3_03_N3`<3b33b_3cG3d33d\3eF3em3fa3gA3ga3h53hQ3ho3iC3i]3j73jX3k63kQ3kh3lF3l\3m93mU3mi3n\#
    F3n\3o<3oZ40240M40j41O42142L43143R44544M44c45<45L45`46246c47B47k48R49T4:V4:m4;G4;e4<>4=X4>54>M4>e4??4?[4@54@O4@k\#
    4AE4Aa4B;4BW4Bo4CG4C_4D@4DX4E04EH4Eb4F<4FV4G04GL4Gh4HD4H`4I>4I\4J:4JX4K@4Kh4LP4M14MI4Mc4NC4Nc4O;4OU4Oo4PI4Pe4Q?4\#
    Q[4R;4R[4S?4SY4T54TU4U54UY4V14VK4Ve4W?4W[4X;4XU4Y14YQ4Yi4ZA4Z[4[34[K4[e4\?4\Y4]54]U4]o4^K4^k4_K4_k4`C4`[4a54aO4a\#
    o4bI4bi4cA4cY4d:4d]4e>4f14fX4g;4gW4gm4hC4hY4ho4iE4i[4jI4jd4k>4kX4l94lS4mL4nD4nl4o_50750d51X52J53l55H55e56C57;57Y\#
    57o58h59B59Y5:>5:e5;<5;k5<O5<j5=H5=n5>]5A15AR5BR5Bn5Cn5DS5EE5Ed5FH5Fl5GP5H45HS5I75I[5J?5Je5KD5Ka5LI5Lo5MI5Mm5Nj5\#
    O]5PM5QF5Qe5S65T45T^5Ue5Vj5Wb5X65X`5Y_5ZJ5[E5\55\M5\_5]D5^15^g5_I5`B5``5aM5an5bO5bj5cL5d15db5eP5fJ5gG5h75hf5i_5j\#
    U5k>5l25l_5m_5n]5o95o[60260N61E62562S62a63563I63_64=64_65B66366P67867o69_6:N6;36;W6<A6=:6=d6>`6?86@:6@h6AU6B?6C0\#
    6Ci6DW6EF6F16Fc6GI6Ge6H=6H^6I66I]6KG6LP6MV6NW6OX6PY6QL6RD6Rl6SV6TU6U?6V26Ve6WK6X<6X_6Yf6Zc6[k6\T6]>6]l6_;6`K6aQ6\#
    bC6c>6dH6fZ6gK6i@6k06la6mJ6nO6oA71B73E75J77>78O79_7:e7;_7<a7=]7>Y7?Y7@Y7Am7CA7D@7EW7FX7GU7HD7IE7J47KO7M07Mo7N]7P\#
    17QD7Qe7SZ7Ta7V97Wi7XV7Ym7Zn7[_7\_7]^7^K7_J7`I7a07aZ7cA7d^7f;7g@7ge7hX7j27jh7l57mF7mh7nm7oo80i81f83683_84a86586g\#
    87f88e89N8:G8;@8<;8=68=i8>c8?@8@Z8BF8Cf8EB8G08HP8JB8K\8MH8O48Q28R\8TX8V08WV8Y@8Ze8\E8^>8`78aZ8dV8fG8hF8io8ki8mB8\#
    nd8oC91J93W95Y97a99m9<?9>?9@A9BM9D[9Fj9I79KF9MS9NW9OI9PH9Q89R69Rf9SX9UV9W49WL9X`9Yl9[49[j9\`9]n9_;9_f9`;9`W9a69a\#
    R9am9bD9bW9bm9cG9cc9d@9dZ9e19eR9em9fI9f^9g89gK9gj9hL9hf9i=9ia9j69jI9jd9k<9kN9kg9lH9lb9m>9mZ9n19nS9ni9oI9oh:0<:0X\#
    :16:1J:1f:2=:2P:2e:3?:3U:4D:58:5Q:68:6X:7E:8E:8m:9h:;H:<8:=3:=A:=S:?^:@F:AI:B9:C7:D5:D]:EX:F0:FT:Fh:G::GT:H0:HG:\#
    Ho:I=:K<:KQ:Kg:LD:LU:M@:Mo:NU:OA:OS:P<:PL:Pc:Q;:QL:RD:S=:SP:Sk:TB:TZ:U7:UV:V4:Vi:WG:Wb:Xh:Y<:YW:Yk:ZK:[4:\7:\Y:\m\#
    :]L:]k:^J:_=:_O:`D:a@:aY:ao:bG:ba:c=:cX:d@:eE:f2:fP:gU:i7:iP:kL:kZ:le:n2:nV:oF;08;19;1O;49;4o;5@;6U;7R;81;8d;9=;\#
    9a;<U;=i;>k;@c;AT;B];D0;EE;F;;FI;GB;H:;H\;IQ;JZ;KL;LR;MX;NT;OP;PO;Q2;Qa;RN;Tg;Uj;W`;XK;X];YU;Zc;[Q;\B;]7;]S;^I;_\#
    1;`9;a<;bI;cE;e:;f>;gI;gg;hQ;h_;i@;j0;jA;jZ;k];kn;l8;mA;n1;nP;o^<0f<1a<2W<2o<4\<50<5g<6F<7?<84<8W<90<9N<9j<;6<<\<\#
    =]<>W<@`<A;<AY<Bl<Cd<DM<EQ<FM<GO<HF<I><JQ<K@<LR<ME<Nc<OO<Q5<Qb<R\<SV<TA<U:<V2<Vo<WV<X=<Y0<Yc<Z[<[E<\A<]C<^@<_9<`\#
    4<`Z<aH<bJ<cg<dM<eZ<fn<hT<i?<jF<kB<l\<mP<n8<oB=0Z=1W=2G=33=48=5<=5f=7H=8^=9O=;<=<<==S=>a=?R=@H=AG=B==Bk=DU=F2=Fo\#
    =G`=H_=IJ=J<=K4=L@=Lk=M[=NB=O7=Ob=QK=RF=S]=UH=W0=XM=YK=ZB=[5=[i=\V=]\=^]=_h=a5=b1=cB=d<=fA=g5=h:=ij=je=ki=m@=nC=\#
    ok>0m>1b>3@>4=>5@>6;>7=>8I>9[>:b><>>>9>?D>A4>B5>C?>Cn>DN>EX>FQ>GS>H;>IM>J?>KC>LD>M1>N;>O9>Of>PY>Q@>RK>SL>TF>Tg>U\#
    a>Vb>X4>Y^>Zb>[b>]R>^c>_a>`b>aR>c=>d5>e1>f9>g?>h=>hj>if>jY>kW>lP>m8>mh>nX>oK?0c?1S?2W?3S?4K?53?6:?77?7b?8U?9`?:k\#
    ?;^?<P?=K?>Q??N?@1?@[?AP?BC?CE?D1?EU?F@?GZ?HW?IQ?JO?KP?LQ?MO?N4?O7?Of?Po?R9?S??TC?Th?Ud?W4?XF?Y=?Z8?[H4<j<n=]=_1\#
    =]203mnc04minc0104MINC00:MINC Image002<n=_1<n103edn0000NAdobe DRM Activation Key (EDN)0050:<g<j<n=_10:103eps0104\#
    EPSF20aNeXT Encapsulated PostScript v1.2 pasteboard type0FNSPostScriptPboardType0GEncapsulated PostScript002<n=_\#
    1<n103etd0000LAdobe Digital Editions (ETD)002<n=_1<n103fdf0000RAdobe Acrobat Forms Document (FDF)005<J<j<n=_=n1=\#
    n503flv03f4v03f4p03f4a03f4b10;video/x-flv000;Flash video004<j<n=]=_1=]102ai0000JAdobe Illustrator document004<g<\#
    j<n=_2<n<g103pdf10?application/pdf104PDF 10IApple PDF pasteboard type0<PDF document004<j<n=]=_1=]103psd50Iimage/\#
    vnd.adobe.photoshop0?image/photoshop0Aimage/x-photoshop09image/psd0Eapplication/photoshop1048BPS00HAdobe Photosh\#
    op document004<j<n=]=_1=]103psb0000NAdobe Photoshop large document004<g<j<n=_2<n<g102ps10Fapplication/postscript\#
    000:PostScript003<n=I=_1=I00000?PostScript font0040;<n=I=_10;00104LWFN00NPostScript Type 1 outline font0040;<n=I\#
    =_10;103pfa0000NPostScript Type 1 outline font0040;<n=I=_10;103pfb0000NPostScript Type 1 outline font005<^<j<n=]\#
    =_1<^103dng10Aimage/x-adobe-dng0000004<g<j<n=_2<n<g104xfdf0000SAdobe Acrobat Forms Document (XFDF)003<F<n=_2<n<F\#
    00000FStuffIt archive family002<n=_1<n104inss0000OInternet Setup Assistant (INSS)0021G=_11G00000=Accounts Icon00\#
    0000000?Active Web Page0043^<n=_>e13^106afploc0104ilaf00EAFP internet location0000000007AirDrop0021>=111>00000?A\#
    irPort Extreme0021>=111>00000?AirPort Express0030G1>=110G00000?AirPort Extreme0031>8?=118?00000<Time Capsule0000\#
    000005Alert0010K10K00000=Alert Caution0010K10K00000:Alert Note0010K10K00000:Alert Stop0037^<n=_2<n7^000005alias0\#
    037^<n=_2<n7^00104alis00:alias data0031>3_=113_000008Apple TV007<j<n=_>K>\>_>m2<n>\104scpt0104osas00;AppleScript\#
    0040g75=2=_20g75105scptd0000=Script bundle007<j<n=_>K>\>_>m1>\10;applescript0000@AppleScript text003<F<n=_2<n<F1\#
    02as0000CAppleSingle archive001=B1=B00000;application0050g758d=2=_18d105appex0000PApplication and System Extensi\#
    on0070V0g4k75=2=B=_30V4k75103app0104APPL0000040V<n=B=_20V<n103app0104APPL0000080V0X0g4k75=2=B=_10X10;placeholder\#
    00000003=2=H=_1=H00104apps000003<F<n=_2<n<F203aar03yaa0000=Apple Archive002<n=_1<n108arobject0000CAR Reference O\#
    bject0057R<j<n=_>m2>m7R105plist0000Cascii property list0077R8c<j<n=_>m?C18c108aupreset0000Aaudio unit preset0037\#
    5=2=_175108workflow0000BAutomator workflow0037R<n=_17R105plist0000Dbinary property list003<F<n=_2<n<F103hqx30Hap\#
    plication/mac-binhex400Fapplication/mac-binhex0Bapplication/binhex000>BinHex archive001<F1<F00000FBOM-compatible\#
     archive0040c<F<n=_2<n0c104cpgz0000UBOM-generated compressed CPIO archive0000000007Bonjour0037^<n=_2<n7^000008bo\#
    okmark002=2=_1=2000006bundle001=41=400000>Cinema Display002<n=_1<n00010INeXT font pasteboard type0@character for\#
    mat002<n=_1<n00010GNSColor pasteboard type05color002<n=_1<n00010ZNSFindPanel search options pasteboard type0>sea\#
    rch options002<n=_1<n00010]Apple multiple text selection pasteboard type0>text selection002<n=_1<n00010JNeXT rul\#
    er pasteboard type0@paragraph format002<n=_1<n00010ANSSoundPboardType05sound002<n=_1<n203clr03ccl0000:Color File\#
    002<n=_1<n303icc03icm02pf0104prof00AColorSync profile005<j<n=_>m?C1?C10=configprofile0000Econfiguration profile0\#
    05<I<J<j<n=_1<I103caf0104caff00FApple CoreAudio format00375=2=_175109mlpackage0000VCore ML Machine Learning Mode\#
    l Package002<n=_1<n207mlmodel0:mlkitmodel0000NCore ML Machine Learning Model007<j<n=_=f>K>m?92?9=f105crash0000<C\#
    rash Report003<n<o=_2<n<o107csstore000000050g4k75=2=_24k75104wdgt0000@Dashboard widget0050g4k=2=H=_2=H4k00000000\#
    50V0Y<n=B=_10Y00704APPC04APPD04APPE04appe04CDEV04cdev04dfil000003=2=H=_1=H00000>Desktop Folder003=2=H=_1=H00000@\#
    Developer Folder0051>5255<h=11550000000041>52<h=1152000000001=11=100000<Apple device004<j<n=_>m1>m00000Adevice m\#
    odel code002<F=31=300000:disk image0051@<F<n=3=_21@<n103cdr0000?DVD/CD-R master0051@<F<n=3=_21@<n020Gapplication\#
    /vnd.efi.img0Lapplication/x-raw-disk-image000>raw disk image0051@<F<n=3=_21@<n20;sparseimage04asif0000Asparse di\#
    sk image0061@75<F=2=3=_21@7520<sparsebundle0<backupbundle0000Hsparse bundle disk image0051@<F<n=3=_21@<n203dmg03\#
    img10Mapplication/x-apple-diskimage000?UDIF disk image0051@<F<n=3=_21@<n107dmgpart0000GUDIF disk image segment00\#
    1=_1=_00000=Document Type0021G=_11G00000:Dictionary003=2=H=_1=H00000=System Folder003=2=H=_1=H00000@Documents Fo\#
    lder000000104mymc004.Mac003=2=H=_1=H00000@Downloads Folder004<j<n=]=_1=]107drawing0000DApple Drawing Format0050g\#
    4k75=2=_24k75104dext0000@Driver Extension003=2=H=_1=H00104dbox000003=2=H=_1=H108xcassets0000=asset catalog005<j<\#
    n=_>m?C1?C108xcscheme0000<Xcode scheme00375=2=_17510;xcworkspace0000?Xcode workspace005<j<n=_>m?C1?C10:storyboar\#
    d0000LInterface Builder storyboard00375=2=_17510:playground0000@Swift playground005<j<n=_=c>m1=c10:xctestplan000\#
    0?Xcode test plan0041>52<h=1152000004eMac003<F<n=_2<n<F103aea0000GApple Encrypted Archive0021G=_11G00000=Everyon\#
    e Icon0043^<n=_>e13^107fileloc0104ilfi00Ffile internet location001>d1>d00000;File Server0050g757A=2=_17A102fs000\#
    0CFile System Plug-in000000000:File Vault003=2=H=_1=H104fpbf0104bfld00;Burn Folder002<n=_1<n000008clipping0051^<\#
    j<n=]=_21^=]10<pictclipping0104clpp00@picture clipping0031a<n=_11a00000<Recent Items002<n=_1<n10;savedSearch0104\#
    sfld00<Smart Folder0031^<n=_11^10;sndClipping0000>Sound Clipping0031^<n=_11^10<textclipping0104clpt00=text clipp\#
    ing004<g<j<n=_2<n<g00104rtfd20INeXT RTFD pasteboard type0@NSRTFDPboardType0Vrich text with attachments (RTFD) da\#
    ta003<n=I=_1=I104suit0404FFIL04ffil04sfnt04tfil00=font suitcase0030g=2=_10g109framework0104FMWK009framework0043^\#
    <n=_>e13^106ftploc0104ilft00EFTP internet location00675<J<j<n=2=_275<J204band06gbProj0000BGarageBand Project001>\#
    d1>d00000?Generic AirDisk0040g75=2=_20g75106bundle0104BNDL006bundle0043^<n=_>e13^107inetloc0104ilge00Ainternet l\#
    ocation002<n=_1<n00000:Stationery001>d1>d00000IGeneric Time Machine Disk007<j<n=_=f>K>m?92?9=f10:gpuRestart0000;\#
    GPU Restart002<n=_1<n10=groupactivity0000>Group Activity003=2=H=_1=H00000=Groups Folder0018F18F00000:Guest User0\#
    07<j<n=_=f>K>m?92?9=f104hang0000;Hang Report006<j<n=Q=_=c>m2=Q=c104ahap0000KApple Haptics Audio Pattern002<n=_1<\#
    n00000=Help Document003=2=H=_1=H00000;Home Folder0051>3_3a=1BW23aBW0000000051>3_3b=1BW23bBW0000000041>3_=1>a23_>\#
    a000007HomePod001=_1=_000006iCloud00375=2=_17510=imovielibrary0000>iMovie Library00375=2=_175107theater0000>iMov\#
    ie Theater0074E75<g<j=2=_>R375>R4E103key0000@Keynote document0074E75<g<j=2=_>R375>R4E107key-tef0000@Keynote docu\#
    ment0074F75<g<j=2=_>R375>R4F103kth0000=Keynote theme005<g<j<n=_>R2<n>R103key10Rapplication/x-iwork-keynote-sffke\#
    y000@Keynote document005<g<j<n=_>R2<n>R103kth10Rapplication/x-iwork-keynote-sffkth000=Keynote theme00675<g<j=2=_\#
    >b375<g>b107numbers0000@Numbers document00675<g<j=2=_>b375<g>b10;numbers-tef0000@Numbers document005<g<j<n=_>b3<\#
    n<g>b107numbers10Vapplication/x-iwork-numbers-sffnumbers000@Numbers document005<g<j<n=_>b3<n<g>b10;nmbtemplate10\#
    Wapplication/x-iwork-numbers-sfftemplate000@Numbers template00675<g<j=2=_>b375<g>b10;nmbtemplate0000@Numbers tem\#
    plate00575<g<j=2=_275<g105pages0000>Pages document00575<g<j=2=_275<g109pages-tef0000>Pages document004<g<j<n=_2<\#
    n<g105pages10Rapplication/x-iwork-pages-sffpages000>Pages document004<g<j<n=_2<n<g108template10Uapplication/x-iw\#
    ork-pages-sfftemplate000>Pages template00575<g<j=2=_275<g108template0000>Pages template0051>5253<h=1153000008iBo\#
    ok G4004<g<j<n=_2<n<g106ibooks0000DApple Books document005<]<j<n=_>m3>m=_<]103ics10=text/calendar0008ICS File005\#
    <]<j<n=_>m3>m=_<]203vcs04vcal10@text/x-vcalendar0008VCS File002<n=_1<n106icloud0000KiCloud synchronization file0\#
    04<j<n=]=_1=]104icns0104icns00@Apple icon image000000000?Icon Decoration000000000HIcon Decoration Position0012R1\#
    2R00000OIcon Decoration Position Center0012R12R00000WIcon Decoration Position Leading Bottom0012R12R00000PIcon D\#
    ecoration Position Overlay0012R12R00000XIcon Decoration Position Trailing Bottom0032Q2R2V22V2Q00000EIcon Decorat\#
    ion Badge0042Q2R2V2W22V2W00000OIcon Decoration Checkmark Badge0042Q2R2V2W22V2W00000NIcon Decoration Comments Bad\#
    ge0042Q2R2V2W22V2W00000QIcon Decoration Drop Folder Badge0042Q2R2V2W22V2W00000KIcon Decoration Heart Badge0042Q2\#
    R2V2W22V2W00000OIcon Decoration In Review Badge0042Q2R2T2f22T2f00000LIcon Decoration Locked Badge0042Q2R2V2W22V2\#
    W00000\Icon Decoration Locked By Collaborator Badge0042Q2R2V2W22V2W00000TIcon Decoration Locked By User Badge004\#
    2Q2R2V2W22V2W00000LIcon Decoration Pinned Badge0042Q2R2V2W22V2W00000TIcon Decoration Private Folder Badge0042Q2R\#
    2V2W22V2W00000MIcon Decoration Syncing Badge0042Q2R2V2W22V2W00000NIcon Decoration Trending Badge0042Q2R2V2W22V2W\#
    00000MIcon Decoration Warning Badge0032Q2R2S22S2Q00000FIcon Decoration Emboss0012Q12Q00000FIcon Decoration Syste\#
    m0022Q2f12f00000EIcon Decoration Alias0022Q2f12f00000MIcon Decoration Alert Caution0022Q2f12f00000JIcon Decorati\#
    on New Folder0022Q2f12f00000KIcon Decoration Unsupported0021G=_11G00000CAlert Caution Badge0021G=_11G00000;Alias\#
     Badge0021G=_11G00000ADrop Folder Badge0021G=_11G00000<Locked Badge0021G=_11G00000@New Folder Badge0021G=_11G000\#
    00>Private Folder0021G=_11G00000DPrivate Folder Badge0021G=_11G00000AUnsupported Badge003=2=H=_1=H107iconset0000\#
    8Icon Set0000000005iDisk007<[<j<n=_>K>_>m1<[103iig0000UIOKit Interface Generator source code0041>52<h=1152000004\#
    iMac0061>363P52<h=113P0000000051>3652<h=11360000000061>363852<h=11380000000061>363852<h=11380000000061>363852<h=\#
    11380000000061>363852<h=11380000000061>363852<h=11380000000061>363852<h=11380000000061>363852<h=11380000000051>3\#
    652<h=11360000000051>3652<h=11360000000051>3652<h=11360000000051>3652<h=11360000000051>3652<h=11360000000051>365\#
    2<h=11360000000051>3652<h=11360000000051>3652<h=1136000007iMac G50051>3652<h=11360000000051>3652<h=1136000000005\#
    1>3652<h=11360000000051>3652<h=11360000000051>3652<h=11360000000061>363L52<h=113L0000000061>363L52<h=113L0000000\#
    061>363L52<h=113L0000000051>3652<h=11360000000061>363P52<h=113P0000000061>363P52<h=113P0000000061>363P52<h=113P0\#
    000000061>363P52<h=113P0000000051>3652<h=1136000008iMac Pro002<n=_1<n00104inkt10MApple InkText pasteboard type07\#
    writing0040g75=2=_20g75204dist05distz0104dist00FInstaller distribution0040g75=2=_20g75104mpkg0104mpkg00AInstalle\#
    r package0040g75=2=_20g75103pkg0104pkg100AInstaller package003<F<n=_2<n<F203pkg04mpkg0000IInstaller package arch\#
    ive0040g75=2=_20g7510Asuggestionsassets0000NIntelligent Suggestions assets002<n=_1<n103nib0000JInterface Builder\#
     document005<j<n=_>m?C1?C103xib0000JInterface Builder document003<n=_>e2>e<n00000Ainternet location0021>=111>000\#
    00:iOS device0031>3_=113_00000=iOS Simulator0031>3_=113_000004iPad0031>3_=113_000006iPhone0041>3_3b=113b000009iP\#
    hone 3G0041>3_3b=113b00000:iPhone 3GS0041>3_3b=113b000008iPhone 40041>3_3b=113b000008iPhone 80051>3_3b3f=113f000\#
    00[iPhone 8 (Model A1863, A1905, A1906, A1907)0051>3_3b3f=113f00000[iPhone 8 (Model A1863, A1905, A1906, A1907)0\#
    051>3_3b3f=113f00000[iPhone 8 (Model A1863, A1905, A1906, A1907)0041>3_3b=113b00000=iPhone 8 Plus0051>3_3b3j=113\#
    j00000`iPhone 8 Plus (Model A1864, A1897, A1898, A1899)0051>3_3b3j=113j00000`iPhone 8 Plus (Model A1864, A1897, \#
    A1898, A1899)0051>3_3b3j=113j00000`iPhone 8 Plus (Model A1864, A1897, A1898, A1899)0061>273_3b=1BW127000008iPhon\#
    e X0071>273_3b3n=1BW13n00000[iPhone X (Model A1865, A1901, A1902, A1903)0071>273_3b3n=1BW13n00000[iPhone X (Mode\#
    l A1865, A1901, A1902, A1903)003<F<n=_2<n<F103ipa10Happlication/octet-stream000GiOS application archive0031>3_=1\#
    13_000004iPod0031>4J=114J00000<iPod Classic0031>4J=114J000009iPod Nano0031>4J=114J000009iPod Nano0031>4J=114J000\#
    00<iPod Shuffle0041>464J=114600000<iPod Shuffle0041>464J=114600000MiPod Shuffle (2th generation)0041>464J=114600\#
    000MiPod Shuffle (3th generation)0041>464J=114600000MiPod Shuffle (4th generation)0041>3_42=114200000:iPod touch\#
    0041>3_42=114200000:iPod touch0041>3_42=114200000:iPod touch0041>3_42=114200000:iPod touch005<j<n=_=f>m2>m=f103i\#
    ps0000Adiagnostic report0068i<I<J<j<n=_18i202aa03aax30=audio/audible0Gaudio/x-pn-audibleaudio0?audio/x-audible20\#
    4AUDB04AUDX00AAudible.com audio003<F<n=_2<n<F104ipsw0000BiOS software image003<n=_?51?5104itms0000@iTunes store \#
    URL0040g75=2=_20g75104kext0000@Kernel Extension003<n<o=_2<n<o10;keychain-db00008keychain00675<g<j=2=_>R275>R0000\#
    0@Keynote document00675<g<j=2=_>R275>R00000=Keynote theme003<n=_=f2<n=f106ktrace0000HDarwin kernel trace file001\#
    =41=400000BLED Cinema Display001=41=400000BLED Cinema Display0021>=111>000004iPod0021G=_11G00000<Actions Icon002\#
    1G=_11G00000>Backward Arrow0021G=_11G000004Burn0021G=_11G00000:Clock Icon0021G=_11G00000:Connect To0021G=_11G000\#
    00ACustomize Toolbar0021G=_11G00000>Delete Toolbar0021G=_11G00000;Eject Media0021G=_11G000007Erasing0021G=_11G00\#
    000>Favorite Items0021G=_11G000006Finder0021G=_11G00000=Forward Arrow0021G=_11G00000<General Icon0021G=_11G00000\#
    4Grid0021G=_11G00000=Keep Arranged0021G=_11G000006Locked0021G=_11G00000@Magnifying Glass0021G=_11G00000>Multiple\#
     Items0021G=_11G000008No Write0021G=_11G00000;Open Folder0021G=_11G00000=Question Mark0021G=_11G00000ERight Cont\#
    ainer Arrow0021G=_11G00000BSidebar Prefs Icon0021G=_11G00000;Synchronize0021G=_11G00000EToolbar Advanced Icon002\#
    1G=_11G00000AToolbar Info Icon0021G=_11G00000CToolbar Labels Icon0021G=_11G000008Unlocked0021G=_11G000006Window0\#
    03=2=H=_1=H00105ƒlib000002<n=_1<n000000000000000:Live Photo0030g=2=_10g0000000070g4k75<g<j=2=_34k75<g104lpdf000\#
    0=localized PDF006<j<n=_=f>K>m2>K=f103log0000000375=2=_17510:logarchive0000;log archive00375=2=_175106logicx0000\#
    =Logic project006<I<J<j<n=_>71>7103m4a10;audio/x-m4a104M4A 00BApple MPEG-4 audio006<J<j<n=_=n>61>6103m4v10;video\#
    /x-m4v104M4V 00BApple MPEG-4 movie0031><h=12<h1>000003Mac0041>52<h=1152000006Laptop0041>52<h=115200000:Rack Moun\#
    t0041>52<h=1152000005Tower003<F<n=_2<n<F103bin20Eapplication/macbinary0Gapplication/x-macbinary000AMacBinary arc\#
    hive0051>5253<h=1153000007MacBook0061>525357<h=11570000000061>525357<h=11570000000071>52535759<h=11590000000081>\#
    525357595:<h=115:0000000071>52535759<h=11590000000071>52535759<h=11590000000081>525357595=<h=115=0000000071>5253\#
    5759<h=11590000000081>525357595?<h=115?0000000071>52535759<h=11590000000081>525357595A<h=115A0000000061>525357<h\#
    =11570000000061>525357<h=11570000000061>525357<h=11570000000051>5253<h=115300000;MacBook Air0061>52535F<h=115F00\#
    00000061>52535F<h=115F0000000061>52535F<h=115F0000000071>52535F5I<h=115I0000000071>52535F5I<h=115I0000000071>525\#
    35F5I<h=115I0000000071>52535F5I<h=115I0000000081>52535F5I5J<h=115J0000000081>52535F5I5K<h=115K0000000081>52535F5\#
    I5L<h=115L0000000081>52535F5I5M<h=115M0000000091>52535F5I5J5N<h=115N0000000091>52535F5I5K5O<h=115O0000000091>525\#
    35F5I5L5P<h=115P0000000091>52535F5I5M5Q<h=115Q00000000=1>52535F5I5J5M5N5Q5R5U<h=125R5U00000000=1>52535F5I5K5M5O5\#
    Q5S5U<h=125S5U00000000=1>52535F5I5L5M5P5Q5T5U<h=125T5U0000000051>5253<h=115300000;MacBook Pro0061>52535Y<h=115Y0\#
    000000071>52535Y5^<h=115^0000000091>52535Y5[5^5c<h=125c5[0000000091>52535Y5[5^5h<h=125h5[0000000061>52535Y<h=115\#
    Y0000000071>52535Y5^<h=115^0000000071>52535Y5^<h=115^0000000071>52535Y5^<h=115^0000000081>52535Y5^5a<h=115a00000\#
    00071>52535Y5^<h=115^0000000081>52535Y5^5c<h=115c0000000091>52535Y5^5`5c<h=125c5`0000000091>52535Y5^5a5c<h=125c5\#
    a00000000;1>52535Y5^5a5b5c5f<h=125f5b0000000071>52535Y5^<h=115^0000000081>52535Y5^5h<h=115h0000000091>52535Y5^5`\#
    5h<h=125h5`0000000091>52535Y5^5a5h<h=125h5a00000000;1>52535Y5^5a5b5h5k<h=125k5b0000000061>52535Y<h=115Y000000007\#
    1>52535Y5m<h=115m0000000071>52535Y5m<h=115m0000000071>52535Y5m<h=115m0000000081>52535Y5m60<h=11600000000091>5253\#
    5Y5m5o60<h=12605o0000000071>52535Y5m<h=115m0000000081>52535Y5m63<h=11630000000091>52535Y5m5o63<h=12635o000000006\#
    1>52535Y<h=115Y0000000061>52535Y<h=115Y0000000071>52535Y6:<h=116:0000000061>52535Y<h=115Y0000000061>52535Y<h=115\#
    Y0000000071>52535Y6:<h=116:0000000071>52535Y6:<h=116:0000000071>52535Y6:<h=116:0000000081>52535Y6:6=<h=116=00000\#
    00091>52535Y6:6<6=<h=126=6<0000000071>52535Y6:<h=116:0000000081>52535Y6:6@<h=116@0000000091>52535Y6:6<6@<h=126@6\#
    <0000000091>52535Y686:6=<h=126=680000000091>52535Y686:6@<h=126@680000000061>52535Y<h=115Y0000000061>52535Y<h=115\#
    Y0000000071>52535Y6F<h=116F0000000071>52535Y6F<h=116F0000000091>52535Y6F6G6H<h=126H6G0000000071>52535Y6F<h=116F0\#
    000000091>52535Y6F6G6J<h=126J6G0000000061>52535Y<h=115Y0000000061>52535Y<h=115Y000000004<n=B=_?41?400000=Mach-O \#
    binary0056N<n=B=_?416N00000=Mach-O bundle0056N<n=B=_?416N00000;Mach-O core0056N<n=B=_?416N105dylib0000FMach-O dy\#
    namic library0056N<n=B=_?416N00000AMach-O executable0056N<n=B=_?416N00000=Mach-O object0041>52<h=1152000008Mac m\#
    ini0051>526T<h=116T0000000051>526T<h=116T0000000051>526T<h=116T0000000051>526T<h=116T0000000051>526T<h=116T00000\#
    00051>526T<h=116T000000004<j<n=]=_1=]104pntg0104PNTG00>MacPaint image0041>52<h=1152000007Mac Pro0061>52556\<h=12\#
    6\550000000061>52546\<h=126\540000000061>52556\<h=126\55000007Mac Pro0061>52556\<h=126\550000000043^<n=_>e13^107\#
    mailloc0104ilma00Fmail internet location004<n=@=_=i2<n=@103eml10>message/rfc822000=email message004<n=@=_=i2<n=@\#
    104emlx0000<Mail message003<n=_=i2<n=i104mbox10@application/mbox0007mailbox002<n=_1<n000008Map Item0040g75=2=_27\#
    50g104menu0000ASystem Menu Extra0050g757A=2=_17A10:mdimporter0000BSpotlight importer006<j<n=_>K>_>m1>_105metal00\#
    00CMetal shader source005<j<n=_>m?C1?C20<mobileconfig06mobile10Papplication/x-apple-aspen-config000Dmobile confi\#
    guration002<n=_1<n10?mobileprovision10Yapplication/x-apple-aspen-mobileprovision000@mobile provision0027^=_2=_7^\#
    00000;mount point003=2=H=_1=H00000<Movie Folder006<I<J<j<n=_>71>7103m4r10;audio/x-m4r104M4R 008Ringtone003=2=H=_\#
    1=H00000<Music Folder000000000<neighborhood0043^<n=_>e13^107newsloc0104ilnw00Fnews internet location0021G=_11G00\#
    000:Not Loaded000000000=Notifications004<j<n=_>m1>m00000ANSPasteboard type004<j<n=_>m1>m00000Cfour-character cod\#
    e002=2=_1=2000007Package007<j<n=_=f>K>m?92?9=f105panic0000<Panic Report000000000JPromised file content type00000\#
    0000APromised file URL003<n=B=_2<n=B00000:PEF binary002<n=_1<n103aae0000Aphoto adjustments00375=2=_17510=photosl\#
    ibrary0000>Photos library004<j<n=]=_1=]304pict03pct03pic30:image/pict0<image/x-pict0?image/x-macpict104PICT20JAp\#
    ple PICT pasteboard type0@NSPICTPboardType0AQuickDraw picture003=2=H=_1=H00000?Pictures Folder0040g75=2=_20g7510\#
    6pkpass10Lapplication/vnd.apple.pkpass0004Pass002<n=_1<n106pkpass00004Pass002<n=_1<n108pkpasses10Napplication/vn\#
    d.apple.pkpasses0006Passes0040g75=2=_20g75106plugin00007plug-in0040g75=2=_20g75109pluginkit0000APlugInKit plug-i\#
    n0051>5253<h=1153000009PowerBook0061>52537C<h=117C00000<PowerBook G40061>52537C<h=117C00000<PowerBook G40061>525\#
    37C<h=117C00000<PowerBook G40061>52537C<h=117C00000<PowerBook G40051>5255<h=1155000009Power Mac0061>52557H<h=117\#
    H00000<Power Mac G40061>52557H<h=117H00000<Power Mac G40061>52557H<h=117H00000<Power Mac G50050g757A=2=_17A103pp\#
    p0000;PPP Plug-in0050g4j75=2=_34j0g75103pvt00000001=41=400000?Pro Display XDR002<n=_1<n00000HProfile Background \#
    Color002<n=_1<n00000FProfile Font And Color001=_1=_00000<Profile Font002<n=_1<n105plist0000=property list005<I<J\#
    <j<n=_1<I103m4p0204M4P 04M4B 00Fprotected MPEG-4 audio0067S<I<J<j<n=_17S103m4b0000Fprotected MPEG-4 audio00751<J\#
    <j<n=_=n>615100000Fprotected MPEG-4 movie005<j<n=_>m?C1?C10@provisionprofile0000Aprovision profile003=2=H=_1=H00\#
    000=Public Folder003<n=B=_2<n=B103qtz10Lapplication/x-quartzcomposer000JQuartz Composer compostion0050g757A=2=_1\#
    7A10;qlgenerator0000KQuickLook preview generator005<I<J<j<n=_1<I103qta0000?QuickTime audio004<j<n=]=_1=]204qtif0\#
    3qti10Aimage/x-quicktime104qtif00?QuickTime image005<J<j<n=_=n1=n203mov02qt10?video/quicktime104MooV00?QuickTime\#
     movie002<n=_1<n107reality10Amodel/vnd.reality000<Reality File000000000:resolvable006<j<n=_>K>_>m1>_101r0000?Rez\#
     source code00575<g<j=2=_275<g104rtfd0000Qrich text with attachments (RTFD)00375=2=_175108download0000?Safari do\#
    wnload004;M<j<n=_2<n;M203scn04scnz0000JSceneKit serialized format005<j<n=_>m?C1?C104sdef0000DScripting Definitio\#
    n003=2=H=_1=H00104sapp000003=2=H=_1=H0000000080V0X0g4k75=2=B=_10X107service00000002<n=_1<n10=shazamcatalog0000>S\#
    hazam Catalog002<n=_1<n10?shazamsignature0000EShazam Signature Data002<n=_1<n108shortcut00008shortcut007<j<n=_=f\#
    >K>m?92?9=f10=shutdownStall0000>Shutdown Stall003=2=H=_1=H00000<Sites Folder007<j<n=_=f>K>m?92?9=f104spin0000;Sp\#
    in Report001>d1>d00104rmov00=External Disk001>d1>d00104hdsk00=Internal Disk001>d1>d00000=NetBootVolume001>d1>d00\#
    104flpy00>Removable Disk005<j<n=_>K>m1>K00000?Structured Text00681<j<n=_>K>m18100000IAddress (Structured Text)00\#
    681<j<n=_>K>m18100000FDate (Structured Text)00681<j<n=_>K>m18100000RTelephone Number (Structured Text)00681<j<n=\#
    _>K>m18100000UTransit Information (Structured Text)00375=2=_175107swiftpm0000ESwift Playgrounds app006<j<n=_>K>_\#
    >m1>_103exp0000Bsymbol export list0050g4k75=2=_24k7510?systemextension0000@System Extension0040g75=2=_2750g108pr\#
    efPane0000FSystem Preference pane0040g75=2=_2750g105saver0000<Screen Saver0040g75=2=_2750g10:slideSaver0000BScre\#
    en Slide Saver0037R<n=_17R108terminal0000ATerminal settings008<j<n=_>K>\>]>_>m1>]207command04tool0000ETerminal s\#
    hell script004<j<n=_>m1>m103tbd0000Utext-based dynamic library definition0021>=111>00000<Time Capsule005<j<n=_>K\#
    >m1>K00204TEXT04ttro000003=2=H=_1=H000005Trash003=2=H=_1=H00000:Full Trash004<n=I=_?11?1105dfont0104dfon00FTrueT\#
    ype datafork font004<g<j<n=_2<n<g00104txtn00Dtext with multimedia0021G=_11G00000>Unknown Object0000000004User000\#
    000000:User Group000000000:User iDisk000000000<User Unknown003=2=H=_1=H00000<Users Folder003=2=H=_1=H00000@Utili\#
    ties Folder0041>52<h=115200000?Virtual Machine0043^<n=_>e13^106vncloc0000EVNC Internet Location0031>3_=113_00000\#
    ;Apple Watch003<j<n=_2<n<j109watchface00009Watchface0043^<n=_>e13^106webloc0104ilht00Eweb internet location004<g\#
    <j<n=_2<n<g10:webarchive10Happlication/x-webarchive104weba10QApple Web Archive pasteboard type0;web archive0050g\#
    757A=2=_17A109webplugin0000>WebKit plug-in0056N<n=B=_?416N00000?X11 application003<F<n=_2<n<F103xar0000;XAR Arch\#
    ive00375=2=_17510;xcframework0000;XCFramework0077R8c<j<n=_>m?C18c109xcprivacy0000Dapp privacy manifest00375=2=_1\#
    75109xcarchive0000=Xcode archive005<j<n=_>K>m1>K108xcconfig0000LXcode configuration settings00375=2=_175104dsym0\#
    00000077R8c<j<n=_>m?C18c10<entitlements0000Jentitlements property list00375=2=_17510;xcdatamodel0000?Core Data m\#
    odel002<n=_1<n103mom0000Hcompiled Core Data model00375=2=_175109xcodeproj0000=Xcode project005<j<n=_>K>m1>K107pb\#
    xproj0000BXcode project data0077R8c<j<n=_>m?C18c10;stringsdict0000Bstrings dictionary004<j<n=_>m1>m107strings000\#
    0Alocalised strings005<j<n=_=c>m1=c109xcstrings0000>string catalog0048T<F<n=_18T103xip0000BXIP Secure Archive006\#
    7R<j<n=_>m?C2?C7R105plist0000AXML property list0040g75=2=_20g75103xpc0000;XPC Service0051>5254<h=1154000006Xserv\#
    e0061>52548e<h=118e0000000061>52548e<h=118e000009Xserve G50061>52548e<h=118e000000005<I<J<j<n=_1<I00000AAudible.\#
    com Audio0068i<I<J<j<n=_18i102aa30=audio/audible0Gaudio/x-pn-audibleaudio0?audio/x-audible000EAudible.com Audiob\#
    ook0068i<I<J<j<n=_18i103aax10Eaudio/vnd.audible.aax000EAudible.com Audiobook004<J<j<n=_1<J103omf0104OMF 00WOpen \#
    Media Framework interchange format005<^<j<n=]=_1<^103cr210Aimage/x-canon-cr2000CCanon CR2 raw image005<^<j<n=]=_\#
    1<^103cr310Aimage/x-canon-cr3000CCanon CR3 raw image005<^<j<n=]=_1<^103crw10Aimage/x-canon-crw000CCanon CRW raw \#
    image004<j<n=]=_1=]103gif109image/gif104GIFf009GIF image005<I<J<j<n=_1<I103sd20104Sd2f00GSound Designer II audio\#
    005<^<j<n=]=_1<^103dxo0000=DxO raw image005<^<j<n=]=_1<^103erf0000?Epson raw image005<^<j<n=]=_1<^103raf10@image\#
    /x-fuji-raf000BFujifilm raw image005<^<j<n=]=_1<^103gpr0000?GoPro raw image005<^<j<n=]=_1<^1033fr0000HHasselblad\#
     3FR raw image005<^<j<n=]=_1<^103fff0000HHasselblad FFF raw image004<j<n=]=_1=]103exr0000=OpenEXR image006<j<n=C\#
    =]=_=i1=C103efx10:image/efax0008eFax fax006<j<n=C=]=_=i1=C103jfx00006J2 fax004<j<n=]=_1=]103fpx209image/fpx0Capp\#
    lication/vnd.fpx000>FlashPix image005<^<j<n=]=_1<^103dcr10Aimage/x-kodak-dcr000?Kodak raw image005<^<j<n=]=_1<^1\#
    03mrw10Cimage/x-minolta-mrw000HKonica Minolta raw image005<^<j<n=]=_1<^103mos0000>Leaf raw image005<^<j<n=]=_1<^\#
    103raw0000?Leica raw image005<^<j<n=]=_1<^103rwl0000CLeica RWL raw image006<J<j<n=_>m?C2<J?C103asx10>video/x-ms-\#
    asx104ASX_00JAdvanced Stream Redirector004<J<j<n=_1<J103asf10>video/x-ms-asf104ASF_00QMicrosoft Advanced Systems\#
     Format004<j<n=]=_1=]203bmp03dib109image/bmp204BMP 04BMPf00AWindows BMP image003<F<n=_2<n<F103cab0000IMicrosoft \#
    Cabinet archive004<j<n=]=_1=]103cur10Bimage/x-win-bitmap000>Windows cursor004<j<n=]=_1=]103dds20;image/x-dds0@im\#
    age/vnd.ms-dds000BDirectDraw surface0099k<F<g<j<n=B=_>b?G4?G<g>b=B104xlsb10eapplication/vnd.ms-excel.sheet.binar\#
    y.macroEnabled.12000aMicrosoft Excel 2007 spreadsheet (macros enabled)002<n=_1<n103xla0104XLA500FMicrosoft Excel\#
     add-in005<g<j<n=_>b3<n<g>b103xls20Happlication/vnd.ms-excel0Capplication/msexcel104XLS800QMicrosoft Excel 97-20\#
    04 worksheet004<j<n=_>b2<n>b103xlt20Happlication/vnd.ms-excel0Capplication/msexcel104sLS800PMicrosoft Excel 97-2\#
    004 template004<j<n=_>b2<n>b103xlw20Happlication/vnd.ms-excel0Capplication/msexcel104XLW800QMicrosoft Excel 97-2\#
    004 workspace006<j<n=_>K>_>m1>_104hlsl0000;HLSL source004<j<n=]=_1=]103ico10Himage/vnd.microsoft.icon000BWindows\#
     icon image003<n=_>e2>e<n103url0000IWindows Internet shortcut005<g<j<n=_>R2<n>R103pot20Mapplication/vnd.ms-power\#
    point0Happlication/mspowerpoint104PPOT00UMicrosoft PowerPoint 97-2004 template005<g<j<n=_>R2<n>R103pps20Mapplica\#
    tion/vnd.ms-powerpoint0Happlication/mspowerpoint104PPSS00WMicrosoft PowerPoint 97-2004 slide show005<g<j<n=_>R2<\#
    n>R103ppt20Mapplication/vnd.ms-powerpoint0Happlication/mspowerpoint104SLD800YMicrosoft PowerPoint 97-2004 presen\#
    tation005<I<J<j<n=_1<I303wav04wave03bwf40>audio/vnd.wave09audio/wav0:audio/wave0;audio/x-wav204.WAV04WAVE00>Wave\#
    form audio003<n=B=_2<n=B103dll10Happlication/x-msdownload000NMicrosoft dynamic link library003<n=B=_2<n=B103exe1\#
    0Happlication/x-msdownload000MMicrosoft Windows application0089A<I<J<j<n=_>m?C2<I9A103wax10>video/x-ms-wax000CWi\#
    ndows media audio0069B<J<j<n=_=n2=n9B102wm10=video/x-ms-wm000=Windows media0069B<I<J<j<n=_2<I9B103wma10>video/x-\#
    ms-wma000CWindows media audio0069B<J<j<n=_=n2=n9B103wmp10>video/x-ms-wmp000=Windows media0069B<J<j<n=_=n2=n9B103\#
    wmv10>video/x-ms-wmv000=Windows media0089A<J<j<n=_=n>m?C2=n9A103wmx10>video/x-ms-wmx000=Windows media0089A<J<j<n\#
    =_=n>m?C2=n9A103wvx10>video/x-ms-wvx000=Windows media004<g<j<n=_2<n<g103doc10Bapplication/msword104W8BN00OMicros\#
    oft Word 97-2004 document004<g<j<n=_2<n<g103dot10Bapplication/msword104W8TN00OMicrosoft Word 97-2004 template006\#
    <g<j<n=_>m?C2?C<g103xml0000PMicrosoft Word 2003 XML document008<j<n=B=_>K>\>_>m2>\=B402js07jscript0:javascript03\#
    mjs10?text/javascript000:JavaScript005<^<j<n=]=_1<^103nrw10Aimage/x-nikon-nrw000CNikon NRW raw image005<^<j<n=]=\#
    _1<^103nef10Aimage/x-nikon-nef000?Nikon raw image005<^<j<n=]=_1<^103orf0000DOlympus OR raw image005<^<j<n=]=_1<^\#
    103orf10Cimage/x-olympus-orf000AOlympus raw image005<^<j<n=]=_1<^103orf0000DOlympus SR raw image005<^<j<n=]=_1<^\#
    103raw20Dimage/x-panasonic-rw0Eimage/x-panasonic-raw000CPanasonic raw image005<^<j<n=]=_1<^103rw220Eimage/x-pana\#
    sonic-rw20Fimage/x-panasonic-raw2000GPanasonic RW2 raw image005<^<j<n=]=_1<^103pef10Bimage/x-pentax-pef000@Penta\#
    x raw image005<^<j<n=]=_1<^103iiq0000CPhase One raw image004;M<j<n=_2;M<n303usd04usda04usdc0000KUniversal Scene \#
    Description0Bhttp://openusd.org4;M<j<n=_2;M<n104usdz10Bmodel/vnd.usdz+zip000SUniversal Scene Description Package\#
    003<F<n=_2<n<F00000=PKZip archive005<I<J<j<n=_1<I203ram02ra30Faudio/vnd.rn-realaudio0Daudio/x-pn-realaudio0Aaudi\#
    o/x-realaudio104PNRA00?RealMedia Audio005<J<j<n=_=n1=n102rm10Lapplication/vnd.rn-realmedia104PNRM009RealMedia005\#
    <J<j<n=_=n1=n104rmvb10Papplication/vnd.rn-realmedia-vbr000JRealMedia Variable Bitrate005<j<n=_>m?C1?C304smil03sm\#
    i03sml10@application/smil204.SMI04SMIL00\synchronized multimedia integration language004<F<n=3=_2=3<n105toast000\#
    0@Toast disk image002<n=_1<n203p1203pfx10Dapplication/x-pkcs12000Wpersonal information exchange (PKCS#12)005<^<j\#
    <n=]=_1<^103srw10Cimage/x-samsung-srw000ASamsung raw image004<j<n=_>m1>m103scc0000HScenarist Closed Caption004<j\#
    <n=]=_1=]103sgi109image/sgi104.SGI00FSilicon Graphics image005<^<j<n=]=_1<^103arw10@image/x-sony-arw000BSony ARW\#
     raw image005<^<j<n=]=_1<^103axr0000BSony AXR raw image005<^<j<n=]=_1<^103srf10@image/x-sony-srf000BSony SRF raw\#
     image005<^<j<n=]=_1<^103sr210@image/x-sony-sr2000BSony SR2 raw image005<I<J<j<n=_1<I103w640000<Wave64 Audio005<\#
    I<J<j<n=_1<I103sf20000?SoundFont audio0040A<F<n=_10A104sidx20Lapplication/x-stuffitx-index0Happlication/x-sitx-i\#
    ndex104SIDX00?StuffIt X index0040A<F<n=_10A203sit03sea20Eapplication/x-stuffit0Aapplication/x-sit104SIT500?Stuff\#
    It archive0040A<F<n=_10A104sitx20Fapplication/x-stuffitx0Bapplication/x-sitx104SITX00AStuffIt X archive0069k<F<n\#
    =B=_?G2?G=B103jar10Happlication/java-archive000<Java archive003<n=B=_2<n=B105class0000:Java class006<j<n=_>K>_>m\#
    1>_204java03jav0000@Java source code005<j<n=_>m?C1?C104jnlp20Lapplication/x-java-jnlp-file0@application/jnlp000>\#
    Java web start0079k:><F<n=B=_?G1:>103war0000Gweb application archive005<j<n=_>m?C1?C103gpx20Capplication/gpx+xml\#
    0?application/gpx000<GPX document004<j<n=]=_1=]103tga30;image/targa09image/tga0?application/tga104TPIC009TGA ima\#
    ge002<n=_1<n103nii0104NII1007NIfTI-1005<I<J<j<n=_1<I103amr109audio/amr104amr 00IAdaptive Multi-rate audio003<F<n\#
    =_2<n<F1027z10Kapplication/x-7z-compressed000=7-Zip archive004<g<j<n=_2<n<g103aaf0104AAF 00IAdvanced Authoring F\#
    ormat003<F<n=_2<n<F104gtar10Bapplication/x-gtar000?GNU tar archive003<F<n=_2<n<F202gz04gzip20Bapplication/x-gzip\#
    0@application/gzip000<GZip archive004:J<F<n=_1:J103tgz0000@gzip tar archive004<g<j<n=_2<n<g104epub10Dapplication\#
    /epub+zip000@EPUB publication004<g<j<n=_2<n<g305mhtml03mht04mhtm10Iapplication/x-mimearchive000AMHTML web archiv\#
    e004<j<n=]=_1=]104astc10:image/astc000<ASTC texture007;M<J<j<n=_>m?C3?C<J;M103dae0000LDigital Asset Exchange (DA\#
    E)004;M<j<n=_2<n;M103glb10Amodel/gltf-binary000Abinary glTF scene006<j<n=_>K>_>m1>_104glsl0000;GLSL source007:Q<\#
    j<n=_>K>_>m1:Q204frag03fsh0000DGLSL fragment shader007:Q<j<n=_>K>_>m1:Q204geom03gsh0000DGLSL geometry shader007:\#
    Q<j<n=_>K>_>m1:Q304vert03vsh02vs0000BGLSL vertex shader006;M<j<n=_=c>m2=c;M104gltf10?model/gltf+json000:glTF sce\#
    ne004<j<n=]=_1=]103ktx109image/ktx000?Khronos texture002<n=_1<n203dcm05dicom10Aapplication/dicom104DICM005DICOM0\#
    02<n=_1<n00000=Open Document005:X<g<j<n=_2:X<g103odc10Xapplication/vnd.oasis.opendocument.chart000COpen Document\#
     chart005:X<g<j<n=_2:X<g103otc10aapplication/vnd.oasis.opendocument.chart-template000LOpen Document chart templa\#
    te004<j<n<o=_3<n<j<o103odb10[application/vnd.oasis.opendocument.database000FOpen Document database004:X<j<n=_2:X\#
    <j103odf10Zapplication/vnd.oasis.opendocument.formula000EOpen Document formula004:X<j<n=_2:X<j103otf10capplicati\#
    on/vnd.oasis.opendocument.formula-template000NOpen Document formula template005:X<g<j<n=_2:X<g103odg10[applicati\#
    on/vnd.oasis.opendocument.graphics000FOpen Document graphics005:X<g<j<n=_2:X<g103otg10dapplication/vnd.oasis.ope\#
    ndocument.graphics-template000OOpen Document graphics template005:X<j<n=]=_2:X=]103odi10Xapplication/vnd.oasis.o\#
    pendocument.image000COpen Document image005:X<j<n=]=_2:X=]103oti10aapplication/vnd.oasis.opendocument.image-temp\#
    late000LOpen Document image template006:X<g<j<n=_>R3:X<g>R103odp10_application/vnd.oasis.opendocument.presentati\#
    on000JOpen Document presentation006:X<g<j<n=_>R3:X<g>R103otp10happlication/vnd.oasis.opendocument.presentation-t\#
    emplate000SOpen Document presentation template006:X<g<j<n=_>b3:X<g>b103ods10^application/vnd.oasis.opendocument.\#
    spreadsheet000IOpen Document spreadsheet006:X<g<j<n=_>b3:X<g>b103ots10gapplication/vnd.oasis.opendocument.spread\#
    sheet-template000ROpen Document spreadsheet template005:X<g<j<n=_2:X<g103odt10Wapplication/vnd.oasis.opendocumen\#
    t.text000BOpen Document text005:X<g<j<n=_2:X<g103odm10^application/vnd.oasis.opendocument.text-master000IOpen Do\#
    cument text master005:X<g<j<n=_2:X<g103ott10`application/vnd.oasis.opendocument.text-template000KOpen Document t\#
    ext template005:X<g<j<n=_2:X<g103oth10[application/vnd.oasis.opendocument.text-web000KOpen Document HTML templat\#
    e005<j<n=_>m?C1?C205xliff03xlf20Eapplication/xliff+xml0Gapplication/x-xliff+xml000>XLIFF document003<j<n=_2<n<j2\#
    03sxm03smf20Lapplication/vnd.sun.xml.math0Qapplication/vnd.stardivision.math000JOpenOffice.org 1.0 Formula003<j<\#
    n=_2<n<j203sxd03sda20Lapplication/vnd.sun.xml.draw0Qapplication/vnd.stardivision.draw000JOpenOffice.org 1.0 Draw\#
    ing003<j<n=_2<n<j103std10Uapplication/vnd.sun.xml.draw.template000SOpenOffice.org 1.0 Drawing Template005<g<j<n=\#
    _>R3<n<j>R303sxi03sdd03sdp30Oapplication/vnd.sun.xml.impress0Tapplication/vnd.stardivision.impress0[application/\#
    vnd.stardivision.impress-packed000OOpenOffice.org 1.0 Presentation005<g<j<n=_>R3<n<j>R103sti10Xapplication/vnd.s\#
    un.xml.impress.template000XOpenOffice.org 1.0 Presentation Template004<j<n=_>b2<n>b203sxc03sdc20Lapplication/vnd\#
    .sun.xml.calc0Qapplication/vnd.stardivision.calc000NOpenOffice.org 1.0 Spreadsheet004<j<n=_>b2<n>b103stc10Uappli\#
    cation/vnd.sun.xml.calc.template000WOpenOffice.org 1.0 Spreadsheet Template003<j<n=_2<n<j203sxw03sdw20Napplicati\#
    on/vnd.sun.xml.writer0Sapplication/vnd.stardivision.writer000GOpenOffice.org 1.0 Text003<j<n=_2<n<j103sxg10Uappl\#
    ication/vnd.sun.xml.writer.global000IOpenOffice.org 1.0 Master003<j<n=_2<n<j103stw10Wapplication/vnd.sun.xml.wri\#
    ter.template000POpenOffice.org 1.0 Text Template002<n=_1<n00000?Office Open XML006;5<g<j<n=_>R2;5>R104pptx119app\#
    lication/vnd.openxmlformats-officedocument.presentationml.presentation000LOffice Open XML presentation007;5<g<j<\#
    n=B=_>R3;5>R=B104pptm10japplication/vnd.ms-powerpoint.presentation.macroEnabled.12000]Office Open XML presentati\#
    on (macros enabled)006;5<g<j<n=_>R2;5>R104ppsx116application/vnd.openxmlformats-officedocument.presentationml.sl\#
    ideshow000JOffice Open XML slide show007;5<g<j<n=B=_>R3;5>R=B104ppsm10gapplication/vnd.ms-powerpoint.slideshow.m\#
    acroEnabled.12000[Office Open XML slide show (macros enabled)006;5<g<j<n=_>R2;5>R104potx115application/vnd.openx\#
    mlformats-officedocument.presentationml.template000UOffice Open XML presentation template007;5<g<j<n=B=_>R3;5>R=\#
    B104potm10fapplication/vnd.ms-powerpoint.template.macroEnabled.12000fOffice Open XML presentation template (macr\#
    os enabled)006;5<g<j<n=_>b3;5<g>b104xlsx111application/vnd.openxmlformats-officedocument.spreadsheetml.sheet000K\#
    Office Open XML spreadsheet007;5<g<j<n=B=_>b4;5<g>b=B104xlsm10^application/vnd.ms-excel.sheet.macroEnabled.12000\#
    \Office Open XML spreadsheet (macros enabled)006;5<g<j<n=_>b3;5<g>b104xltx114application/vnd.openxmlformats-offi\#
    cedocument.spreadsheetml.template000TOffice Open XML spreadsheet template007;5<g<j<n=B=_>b4;5<g>b=B104xltm10aapp\#
    lication/vnd.ms-excel.template.macroEnabled.12000eOffice Open XML spreadsheet template (macros enabled)005;5<g<j\#
    <n=_2;5<g104docx117application/vnd.openxmlformats-officedocument.wordprocessingml.document000XOffice Open XML wo\#
    rd processing document006;5<g<j<n=B=_3;5<g=B104docm10`application/vnd.ms-word.document.macroEnabled.12000iOffice\#
     Open XML word processing document (macros enabled)005;5<g<j<n=_2;5<g104dotx117application/vnd.openxmlformats-of\#
    ficedocument.wordprocessingml.template000XOffice Open XML word processing template006;5<g<j<n=B=_3;5<g=B104dotm1\#
    0`application/vnd.ms-word.template.macroEnabled.12000iOffice Open XML word processing template (macros enabled)0\#
    05<J<j<n=_=n1=n103mxf10?application/mxf000HMaterial eXchange Format003<F<n=_2<n<F103txz0000Ixz compressed tar ar\#
    chive003<F<n=_2<n<F102xz10@application/x-xz000Exz compressed archive004<j<n=_>m1>m103vtt108text/vtt000=WebVTT Fo\#
    rmat005<J<j<n=_=n1=n104webm20:video/webm0:audio/webm000:WebM Media004<j<n=]=_1=]104webp10:image/webp000:WebP Ima\#
    ge005<I<J<j<n=_1<I104flac10:audio/flac000:FLAC audio005<I<J<j<n=_1<I303ogg03oga03spx509audio/ogg0?application/og\#
    g0Baudio/x-vorbis+ogg0Aaudio/x-speex+ogg0;audio/x-ogg0009Ogg audio005<J<j<n=_=n1=n303ogv03ogm03ogx309video/ogg0B\#
    video/x-theora+ogg0?video/x-ogm+ogg0009Ogg video001<j1<j00000:3D Content005<J<j<n=_=n1=n3033gp043gpp03sdv20:vide\#
    o/3gpp0:audio/3gpp2043gpp04sdv 00:3GPP movie005<J<j<n=_=n1=n2033g2043gp220;video/3gpp20;audio/3gpp21043gp200;3GP\#
    P2 movie005<I<J<j<n=_1<I203aac04adts209audio/aac0;audio/x-aac104aac 009AAC audio005<I<J<j<n=_1<I103ac3109audio/a\#
    c3104ac-300:AC-3 audio006<j<n=_>K>_>m1>_303ada03adb03ads0000?Ada source code005<I<J<j<n=_1<I104aifc20:audio/aiff\#
    0<audio/x-aiff204AIFC04cdda00<AIFF-C audio006;S<I<J<j<n=_1;S204aiff03aif20:audio/aiff0<audio/x-aiff104AIFF00:AIF\#
    F audio004;M<j<n=_2;M<n103abc0000@Alembic 3D Scene000000000;Application002;V;h1;h00000<Action Games002;V;h1;h000\#
    00?Adventure Games002;V;h1;h00000<Arcade Games002;V;h1;h00000;Board Games001;V1;V000009Bookmarks001;V1;V000005Bo\#
    oks001;V1;V000008Business002;V;h1;h00000:Card Games002;V;h1;h00000<Casino Games001;V1;V00000?Developer Tools002;\#
    V;h1;h00000:Dice Games001;V1;V000009Education002;V;h1;h00000AEducational Games001;V1;V00000=Entertainment002;V;h\#
    1;h00000<Family Games001;V1;V000007Finance001;V1;V00000<Food & Drink001;V1;V000005Games001;V1;V00000AGraphics n \#
    Design001;V1;V00000DHealthcare n Fitness002;V;h1;h00000:Kids Games001;V1;V000009Lifestyle001;V1;V00000FMagazines\#
     & Newspapers001;V1;V000007Medical001;V1;V000005Music002;V;h1;h00000;Music Games001;V1;V00000:Navigation001;V1;V\#
    000004News001;V1;V00000;Photography003;V<3<C2<3<C00000=Photo & Video001;V1;V00000<Productivity002;V;h1;h00000<Pu\#
    zzle Games002;V;h1;h00000<Racing Games001;V1;V000009Reference002;V;h1;h00000BRole Playing Games001;V1;V000008Sho\#
    pping002;V;h1;h00000@Simulation Games001;V1;V00000ASocial Networking001;V1;V000006Sports002;V;h1;h00000<Sports G\#
    ames002;V;h1;h00000>Strategy Games001;V1;V000006Travel002;V;h1;h00000<Trivia Games001;V1;V000009Utilities001;V1;\#
    V000005Video001;V1;V000007Weather002;V;h1;h00000:Word Games000000000<file archive006<j<n=_>K>_>m1>_101s0000Dasse\#
    mbly source code005<I<J<j<n=_1<I202au03snd10;audio/basic0008AU audio004<J<j<n=_1<J000005audio003<j<n=_2<n<j00000\#
    Caudiovisual content000000000FAudiovisual Collection00475<K=2=_275<K105avchd0000@AVCHD Collection006<J<j<n=_=n>4\#
    1>4204m2ts03mts0000MAVCHD MPEG-2 transport stream005<j<n=Z=]=_1=Z104avci10:image/avci0000005<j<n=Z=]=_1=Z104avcs\#
    10:image/avcs000CHEIF Image Sequence005<J<j<n=_=n1=n203avi03vfw309video/avi0=video/msvideo0?video/x-msvideo204Vf\#
    W 04Vfw 009AVI movie004<j<n=]=_1=]104avif10:image/avif000:AVIF image008<j<n=_>K>\>]>_>m1>]104bash0000IBourne-Aga\#
    in Shell script001=_1=_0000000000000008Bookmark003<F<n=_2<n<F203bz202bz50Capplication/x-bzip20Bapplication/x-bzi\#
    p0Aapplication/bzip20@application/bzip0Aapplication/x-bz2000=Bzip2 archive006<j<n=_>K>_>m1>_101h0000=C header co\#
    de006<j<n=_>K>_>m1>_602hh02hp03hpp03hxx03h++03ipp0000?C++ header code007<W<j<n=_>K>_>m1<W103inl0000AC++ Inline H\#
    eader006<j<n=_>K>_>m1>_502cp03cpp03c++02cc03cxx0000?C++ source code008<Y<j<n=_>K>_>`>m2<Y>`102ii0000Lpreprocesse\#
    d C++ source code006<j<n=_>K>_>m1>_101c0000=C source code008<[<j<n=_>K>_>`>m2<[>`101i0000Jpreprocessed C source \#
    code000000000>calendar event004<j<n=]=_1=]00000@camera raw image004<j<n=_>m1>m000000002>E>d1>E000002CD003<`>E>d1\#
    <`00104cddr002CD003<`>E>d1<`00104cshm004CD-R003<`>E>d1<`000005CD-RW006;S<I<J<j<n=_1;S104cdda0000:CDDA audio001=_\#
    1=_000000006<j<n=0=_>K>m2>K=0103csv208text/csv0Ktext/comma-separated-values000Fcomma-separated values0Shttp://ww\#
    w.ietf.org/rfc/rfc4180.txt1<j1<j000007content001=11=1000008Computer000000000Ccontact information0000000007conten\#
    t003<F<n=_2<n<F204cpio03pax0000<CPIO archive008<j<n=_>K>\>]>_>m1>]103csh0000>C Shell script004<j<n=_>m1>m103css1\#
    08text/css0003CSS001=_1=_010Happlication/octet-stream0004data0000000008database004<j<n=_>m1>m00000Edelimited tex\#
    t values0000000006Device001=_1=_000009directory001<F1<F00000:disk image0000000007Display005<I<J<j<n=_1<I103dls10\#
    9audio/dls000Bdownloadable sound005<J<j<n=_=n1=n202dv03dif10:video/x-dv104dvc!008DV movie002>E>d1>E000003DVD003=\#
    7>E>d1=700104dvd 003DVD003=7>E>d1=7000005DVD+R003=7>E>d1=7000006DVD+RW003=7>E>d1=700104dvdr005DVD-R003=7>E>d1=70\#
    0104nyrc007DVD-RAM003=7>E>d1=700104dvdw006DVD-RW006<j<n=_>K>_>m1>_205dlyan03lid0000ADylan source code003<n=B=_2<\#
    n=B00000:ELF binary001=i1=i00000=email message005<I<J<j<n=_1<I204eac303ec310:audio/eac3104ec-300CEnhanced AC-3 a\#
    udio000000000:executable005<j<n=]=_=i2=]=i000003fax000000000:sharepoint003<n=_?51?500104furl008file URL005<_<j<n\#
    =_>m1<_00000Cfile name extension005<J<j<n=_=n1=n303flc03fli03cel109video/flc104FLI 00=FLC animation002=2=_1=2002\#
    04fold04fldr006folder002<n=_1<n000004font007<j<n=M=_>K>_>m1=M103f7700000007<j<n=M=_>K>_>m1=M103f9000000007<j<n=M\#
    =_>K>_>m1=M103f9500000006<j<n=_>K>_>m1>_201f03for0000CFortran source code002<h=11<h000002PC005<j<n=_=c>m1=c107ge\#
    ojson10Dapplication/geo+json0000005;M<j<n=_>m2;M>m103obj0000OGeometry Definition File Format000000000?Haptics co\#
    ntent002>E>d1>E000006HD DVD003=R>E>d1=R000006HD DVD003=R>E>d1=R000008HD DVD-R003=R>E>d1=R00000:HD DVD-RAM003=R>E\#
    >d1=R000009HD DVD-RW005<j<n=Z=]=_1=Z104heic10:image/heic0000005<j<n=Z=]=_1=Z105heics10Cimage/heic-sequence000CHE\#
    IF Image Sequence005<j<n=Z=]=_1=Z204heif03hif10:image/heif0000004<j<n=]=_1=]00000:HEIF Image005<j<n=Z=]=_1=Z105h\#
    eifs10Cimage/heif-sequence000CHEIF Image Sequence004<j<n=_>m1>m404html03htm05shtml04shtm109text/html104HTML10JAp\#
    ple HTML pasteboard type09HTML text003<j<n=_2<n<j000005image004<F<n=3=_2=3<n103iso30Gapplication/vnd.efi.iso0Fap\#
    plication/x-cd-image0Kapplication/x-iso9660-image000CISO 9660 disk image0000000004item004<j<n=]=_1=]304jpeg03jpg\#
    03jpe20:image/jpeg09image/jpg104JPEG00:JPEG image004<j<n=]=_1=]503jp203jpf03jpx03j2k03j2c109image/jp2104jp2 00?J\#
    PEG 2000 image004<j<n=]=_1=]103jxl109image/jxl0000004<j<n=_>m1>m104json10@application/json0004JSON008<j<n=_>K>\>\#
    ]>_>m1>]103ksh0000AKorn Shell script006<j<n=_>K>_>m1>_601l02lm03lmm03lpp03lxx02ll0000?Lex source code001=_1=_000\#
    008Log file006<j<n=_>K>L>m2>K>L203m3u04m3u830=audio/mpegurl0Mapplication/vnd.apple.mpegurl0?audio/x-mpegurl000<M\#
    3U Playlist0jhttp://www.schworak.com/programming/music/playlist_m3u.asp7<j<n=_>K>\>_>m1>\404make03mak03gmk02mk00\#
    008Makefile0000000007message005<I<J<j<n=_1<I404midi03mid03smf03kar20:audio/midi0<audio/x-midi104Midi00:MIDI audi\#
    o006<j<n=_>K>_>m1>_204defs03mig0000JMig definition source code005<_<j<n=_>m1<_000009MIME type006<j<n=_>K>_>m1>_1\#
    09modulemap0000@Clang module map004<J<j<n=_1<J000005movie005<I<J<j<n=_1<I103mp200009MP2 audio005<I<J<j<n=_1<I203\#
    mp304mpga80:audio/mpeg0;audio/mpeg309audio/mpg09audio/mp30<audio/x-mpeg0=audio/x-mpeg30;audio/x-mpg0;audio/x-mp3\#
    604MPG304mpg304Mp3 04MP3 04mp3!04MP3!009MP3 audio005<I<J<j<n=_1<I010?audio/mp4a-latm000]Low-overhead MPEG-4 Audi\#
    o Transport Multiplex005<I<J<j<n=_1<I204loas04latm0000PLow Overhead MPEG-4 Audio Stream005<J<j<n=_=n1=n503mpg04m\#
    peg03mpe03m7503m1540:video/mpeg09video/mpg0<video/x-mpeg0;video/x-mpg204MPG 04MPEG00:MPEG movie005<J<j<n=_=n1=n1\#
    02ts0000GMPEG-2 Transport Stream006<J<j<n=_=n?=1?=103m2v20;video/mpeg20Avideo/mpeg2-video000<MPEG-2 video005<J<j\#
    <n=_=n1=n203mp404mpg4209video/mp40=video/mp4v-es204mpg404MP4 00<MPEG-4 movie005<I<J<j<n=_1<I203mp404mpg4209audio\#
    /mp40?audio/mp4a-latm204mpg404MP4 00<MPEG-4 audio004<j<n=]=_1=]103mpo0000MMultiple Picture Object image001=_1=_0\#
    00000007<G<j<n=_>K>_>m1<G204nasm03asm0000DNASM assembly source004<j<n=_>m1>m106ndjson10Dapplication/x-ndjson0006\#
    NDJSON003<n=B=_2<n=B101o0000;object code006<j<n=_>K>_>m1>_102mm0000IObjective-C++ source code008<j<n=_>=>K>_>`>m\#
    2>=>`103mii0000Vpreprocessed Objective-C++ source code006<j<n=_>K>_>m1>_101m0000GObjective-C source code008<j<n=\#
    _>?>K>_>`>m2>?>`102mi0000Tpreprocessed Objective-C source code004<g<j<n=_2<n<g103ofd10?application/ofd000JOpen F\#
    ixed-layout Document006<j<n=_>K>_>m1>_102cl10Atext/x-opencl-src000=OpenCL source004<n=I=_>D1>D103otc0000SPostScr\#
    ipt OpenType collection font003<n=I=_1=I103otf108font/otf104OTTO00HPostScript OpenType font001>d1>d00000Eoptical\#
     storage media006<j<n=_>K>_>m1>_103pas0000BPascal source code005<j<n=_>K>m1>K205patch04diff0000:patch file004<j<\#
    n=]=_1=]403pbm03pgm03ppm03pfm40Gimage/x-portable-bitmap0Himage/x-portable-graymap0Gimage/x-portable-pixmap0Gimag\#
    e/x-portable-anymap000<Netpbm image008<j<n=_>K>\>]>_>m1>]202pl02pm10Btext/x-perl-script000;Perl script008<j<n=_>\#
    K>\>]>_>m1>]603php04php304php403ph303ph405phtml308text/php0Atext/x-php-script0?application/php000:PHP script004<\#
    j<n=_>m1>m203txt04text10:text/plain00000000000008playlist005<j<n=_>L>m2>m>L103pls10=audio/x-scpls000<PLS Playlis\#
    t004<j<n=]=_1=]103png109image/png104PNGf10IApple PNG pasteboard type09PNG image004;M<j<n=_2;M<n103ply0000CPolygo\#
    n File Format006<j<n=_>K>_>m1>_103pch0000Dprecompiled C header006<j<n=_>K>_>m1>_105pch++0000Fprecompiled C++ hea\#
    der002<g<j1<g00000<presentation006<j<n=_>K>_>m1>_105proto0000GProtocol Buffers source004<j<n=]=_1=]103pvr0000?Po\#
    werVR texture002<n=_1<n203pyc03pyo10Mapplication/x-python-bytecode000?Python bytecode008<j<n=_>K>\>]>_>m1>]102py\#
    10Dtext/x-python-script000=Python script004<j<n=]=_1=]203hdr03pic20Bimage/vnd.radiance0;image/x-hdr000>Radiance \#
    image005<j<n=_>m?C1?C103rss10Capplication/rss+xml000<RSS web feed004<j<n=_>m1>m103rtf108text/rtf104RTF 20ZNeXT R\#
    ich Text Format v1.0 pasteboard type0?NSRTFPboardType0?rich text (RTF)008<j<n=_>K>\>]>_>m1>]202rb03rbw10Btext/x-\#
    ruby-script000;Ruby script006<j<n=_>K>_>m2>m>_102rs20;text/x-rust09text/rust000ERust source code file006<j<n=_>K\#
    >_>m1>_000006script007<j<n=_>K>\>_>m1>\102sh0000<shell script001=_1=_000000005<j<n=_>K>m1>K00000;source code006<\#
    j<n=_>K>_>m1>_00000Hpreprocessed source code0000000007Speaker001<j1<j00000;Spreadsheet004;M<j<n=_2;M<n103stl0000\#
    XStandard Tesselated Geometry File Format0000000007Storage0000000000006<j<n=]=_>m?C2=]?C203svg04svgz10=image/svg\#
    +xml204svg 04svgz009SVG image006<j<n=_>K>_>m1>_105swift0000ASwift Source Code0027^=_2=_7^00000=symbolic link006<\#
    j<n=0=_>K>m2>K=0103tsv10Itext/tab-separated-values000Dtab-separated values004:I<F<n=_1:I103tar20Aapplication/x-t\#
    ar0?application/tar000;tar archive004<F<U<n=_1<U204tbz203tbz0000LBzip2 compressed tar archive008<j<n=_>K>\>]>_>m\#
    1>]104tcsh0000DTenex C Shell script003<j<n=_2<n<j000004text004<j<n=]=_1=]204tiff03tif10:image/tiff104TIFF20NNeXT\#
     TIFF v4.0 pasteboard type0@NSTIFFPboardType0:TIFF image000000000:to-do item004<n=I=_?11?1103ttc0104ttcf00HTrueT\#
    ype collection font003<n=I=_1=I00000=TrueType font004<n=I=_?11?1103ttf108font/ttf000FTrueType OpenType font005<I\#
    <J<j<n=_1<I302ul03ulw04ulaw0104ULAW00:uLaw audio003<n=B=_2<n=B00000?Unix executable002<n=_1<n00104url 003URL002<\#
    n=_1<n00104urln008URL name005<j<n=_>K>m1>K00104ut16000005<j<n=_>K>m1>K020Itext/plain;charset=utf-160Ctext/plain;\#
    charset=104utxt000005<j<n=_>K>m1>K020Htext/plain;charset=utf-80Jtext/plain;charset="utf-8"104utf810BNSStringPboa\#
    rdType00008<j<n=0=_>K>i>m?92>i?900010QNeXT tabular text pasteboard type00003<F<n=_2<n<F102uu10?text/x-uuencode00\#
    0AUUEncoded archive005<i<j<n=_>m2>m<i203vcf05vcard30:text/vcard0>text/directory0<text/x-vcard104vCrd10KApple VCa\#
    rd pasteboard type0Helectronic business card005<J<j<n=_=n1=n000005video003=2=H=_1=H00104disk006volume002<n=_1<n4\#
    03cer03der03crt03pem10Japplication/x-x509-ca-cert000Ccertificate (X.509)004<j<n=]=_1=]103xbm10?image/x-xbitmap00\#
    0>X bitmap image005<j<n=_>m?C1?C103xfd0000>XML Form (XFD)005<j<n=_>m?C1?C305xhtml04xhtm03xht10Eapplication/xhtml\#
    +xml0005XHTML004<j<n=_>m1>m103xml20?application/xml08text/xml0008XML text006<j<n=_>K>_>m1>_601y02ym03ymm03ypp03y\#
    xx02yy0000@Yacc source code004<j<n=_>m1>m203yml04yaml10Bapplication/x-yaml0004YAML003<F<n=_2<n<F101z10Fapplicati\#
    on/x-compress0009Z archive0049k<F<n=_19k103zip20?application/zip0Lapplication/x-zip-compressed000;Zip archive008\#
    <j<n=_>K>\>]>_>m1>]103zsh0000>Z Shell script003<F<n=_2<n<F103apk10Wapplication/vnd.android.package-archive000@An\#
    droid APK file004<g<j<n=_2<n<g104indd0000GAdobe InDesign document004<g<j<n=_2<n<g104idml10[application/vnd.adobe\#
    .indesign-idml-package000EAdobe InDesign markup002<n=_1<n103abr0000GAdobe Photoshop brushes003<n=B=_2<n=B103swf2\#
    0Qapplication/vnd.adobe.flash.movie0Mapplication/x-shockwave-flash000;Flash movie004;M<j<n=_2<n;M103fbx0000BAuto\#
    desk FBX scene006<j<n=_>K>_>m1>_203erb05rhtml0000Fembedded Ruby template006<j<n=_>K>_>m1>_104scss10;text/x-scss0\#
    00?SCSS stylesheet006<j<n=_>K>_>m1>_103ino0000>Arduino sketch006<j<n=_>K>_>m1>_105cmake10<text/x-cmake000<CMake \#
    script005<j<n=_>K>m1>K304conf03cfg03cnf0000Bconfiguration file006<j<n=_>K>_>m1>_202ex03exs10=text/x-elixir000=El\#
    ixir source006<j<n=_>K>_>m1>_103elm0000:Elm source006<j<n=_>K>_>m1>_103jsx0000:JSX source006<j<n=_>K>_>m1>_102tf\#
    0000GTerraform configuration006<j<n=_>K>_>m1>_106tfvars0000CTerraform variables006<j<n=_>K>_>m1>_104twig10;text/\#
    x-twig000=Twig template006<j<n=_>K>_>m1>_103vue0000=Vue component007<j<n=_>K>\>_>m1>\103awk10Aapplication/x-awk0\#
    00:AWK script006<j<n=_>K>_>m1>_204lisp03lsp10Btext/x-common-lisp000;Lisp source006<j<n=_>K>_>m1>_203scm02ss10=te\#
    xt/x-scheme000=Scheme source006<j<n=_>K>_>m1>_101v10>text/x-verilog000>Verilog source006<j<n=_>K>_>m1>_203vhd04v\#
    hdl10;text/x-vhdl000;VHDL source005<J<j<n=_=n1=n104divx0000:DivX video006<j<n=_>K>_>m1>_10:dockerfile0000:Docker\#
    file003<F<n=_2<n<F203zst04zstd10@application/zstd000AZstandard archive004<F<n=_?b1?b104tzst10Qapplication/x-zstd\#
    -compressed-tar000PZstandard-compressed tar archive003<F<n=_2<n<F102br0000>Brotli archive005<j<n=_>m?C1?C103kml1\#
    0Tapplication/vnd.google-earth.kml+xml000<KML document0059k<F<n=_?G1?G103kmz10Papplication/vnd.google-earth.kmz0\#
    00Gcompressed KML document004<g<j<n=_2<n<g204djvu03djv30>image/vnd.djvu0Himage/vnd.djvu+multipage0<image/x-djvu0\#
    00=DjVu document005<^<j<n=]=_1<^103mef0000@Mamiya raw image006<j<n=_>K>_>m1>_203asp03asa10Aapplication/x-asp000B\#
    Active Server Page006<j<n=_>K>_>m1>_404aspx04ascx04asmx04ashx0000<ASP.NET page007<j<n=_>K>\>_>m1>\203bat03cmd20A\#
    application/x-bat0?application/bat000BWindows batch file006<j<n=_>K>_>m1>_102cs10=text/x-csharp0009C# source005<\#
    j<n=_>m?C1?C106csproj0000:C# project004<g<j<n=_2<n<g103chm10Kapplication/vnd.ms-htmlhelp000Bcompiled HTML help00\#
    4;5<n=B=_2;5=B104xlam10^application/vnd.ms-excel.addin.macroenabled.12000<Excel add-in004<j<n=_>b2<n>b103slk10@t\#
    ext/spreadsheet000@SYLK spreadsheet003<n=B=_2<n=B103xll0000GExcel extension library005<j<n=_>K>m1>K103ini0000AIN\#
    I configuration003<n=B=_2<n=B103msi10Aapplication/x-msi000IWindows Installer package003;5<n=_1;5104thmx10Napplic\#
    ation/vnd.ms-officetheme000<Office theme003<n=B=_2<n=B103ppa0000APowerPoint add-in004;5<n=B=_2;5=B104ppam10cappl\#
    ication/vnd.ms-powerpoint.addin.macroenabled.12000APowerPoint add-in007<j<n=_>K>\>_>m1>\303ps104psm104psd110Happ\#
    lication/x-powershell000APowerShell script005<j<n=_>K>m1>K103sln0000FVisual Studio solution006<j<n=_>K>_>m1>_503\#
    tsx03cts03mts02ts04d.ts20Fapplication/typescript0Atext/x-typescript000ATypeScript source004<g<j<n=_2<n<g103vsd10\#
    Eapplication/vnd.visio000>Visio document005;5<g<j<n=_2;5<g104vsdx10Yapplication/vnd.ms-visio.drawing.main+xml000\#
    >Visio document006<j<n=_>K>_>m1>_202vb03vbs209text/x-vb0=text/vbscript000CVisual Basic source005<j<n=_>K>m1>K103\#
    dic0000FWord custom dictionary005<J<j<n=_=n1=n103wtv0000KWindows recorded television005<j<n=_>m?C1?C104xaml10Dap\#
    plication/xaml+xml000=XAML document005<I<J<j<n=_1<I103ape10;audio/x-ape000>Monkey's Audio007<Y<j<n=_>K>_>m1<Y202\#
    cu03cuh0000;CUDA source003<F<n=_2<n<F103rar30Capplication/vnd.rar0Aapplication/x-rar0Lapplication/x-rar-compress\#
    ed000;RAR archive003<F<n=_2<n<F103rpm20Aapplication/x-rpm0Tapplication/x-redhat-package-manager000;RPM package00\#
    79k:><F<n=B=_?G1:>103ear0000Nenterprise application archive005<j<n=_>K>m1>K10:properties0000?Java properties006<\#
    j<n=_>K>_>m1>_103jsp10Aapplication/x-jsp000?JavaServer Page005<j<n=_>K>m1>K107textile0000<Textile text005<I<J<j<\#
    n=_1<I103tta10;audio/x-tta000:True Audio005<I<J<j<n=_1<I102wv10?audio/x-wavpack000=WavPack audio006<j<n=_>K>_>m1\#
    >_104dart20;text/x-dart0Dapplication/vnd.dart000;Dart source006<j<n=_>K>_>m1>_103nix0000>Nix expression006<j<n=_\#
    >K>_>m1>_106svelte0000@Svelte component004<j<n=_>m1>m104haml0000=Haml template004<j<n=_>m1>m103cue10Aapplication\#
    /x-cue0009cue sheet005<J<j<n=_=n1=n103vob0000@DVD video object005<j<n=_>K>m1>K602md08markdown05mdown04mkdn03mkd0\#
    4mdwn20=text/markdown0?text/x-markdown000=Markdown text005<I<J<j<n=_1<I103mpc10@audio/x-musepack000>Musepack aud\#
    io003<j<n=_2<n<j202mo03gmo10Qapplication/x-gettext-translation000Ggettext message catalog005<j<n=_>K>m1>K102po30\#
    Jtext/x-gettext-translation09text/x-po0Eapplication/x-gettext000Cgettext translation005<j<n=_>K>m1>K103pot20Stex\#
    t/x-gettext-translation-template0:text/x-pot000Lgettext translation template005<j<n=_>m?C1?C102ts20Ktext/vnd.tro\#
    lltech.linguist0Fapplication/x-linguist000>Qt translation005<j<n=_>m?C1?C104resx10Ctext/microsoft-resx000=.NET r\#
    esource003<F<n=_2<n<F104warc10@application/warc000;web archive005<j<n=_>K>m1>K204adoc08asciidoc0000=AsciiDoc tex\#
    t006<j<n=_>K>_>m1>_203bzl05bazel0000@Bazel build file006<j<n=_>K>_>m1>_103bsh0000@BeanShell source002<n=_1<n107t\#
    orrent10Happlication/x-bittorrent000CBitTorrent metainfo004;M<j<n=_2<n;M105blend10Eapplication/x-blender000=Blen\#
    der scene003<F<n=_2<n<F103crx10Napplication/x-chrome-extension000BChromium extension006<j<n=_>K>_>m1>_403clj04cl\#
    js04cljc04cljr10>text/x-clojure000>Clojure source006<j<n=_>K>_>m1>_106groovy10=text/x-groovy000=Groovy source006\#
    <j<n=_>K>_>m1>_106coffee10Lapplication/vnd.coffeescript000CCoffeeScript source006<j<n=_>K>_>m1>_102cr10>text/x-c\#
    rystal000>Crystal source003<F<n=_2<n<F203deb04udeb30Uapplication/vnd.debian.binary-package0Aapplication/x-deb0La\#
    pplication/x-debian-package000>Debian package006<j<n=_>K>_>m1>_201d02di10;text/x-dsrc0008D source005<j<n=_>K>m1>\#
    K103afm10Fapplication/x-font-afm000BAdobe font metrics005<n=?=B=_?42=??4108appimage20Happlication/vnd.appimage0N\#
    application/x-iso9660-appimage000DAppImage application005<j<n=_>m?C1?C104atom10Dapplication/atom+xml0009Atom fee\#
    d005<j<n=I=_>m2=I>m103bdf10Fapplication/x-font-bdf000?BDF bitmap font005<j<n=_>K>m1>K603md504sha106sha25606sha51\#
    207md5sums0:sha256sums0000Alist of checksums005<j<n=_>K>m1>K107desktop10Eapplication/x-desktop000=desktop entry0\#
    05<j<n=_>m?C1?C207docbook03dbk20Gapplication/docbook+xml0Iapplication/x-docbook+xml000@DocBook document003<F<n=_\#
    2<n<F104drop10Mapplication/vnd.dragpipe.drop0009drop file004<n=?=B=_1=?010Bapplication/x-core000=ELF core dump00\#
    5<n=?=B=_?42=??4020Happlication/x-executable0Lapplication/x-pie-executable000>ELF executable005<n=?=B=_><2=?><01\#
    0Dapplication/x-object000?ELF object file004<n=?=B=_1=?102so10Gapplication/x-sharedlib000BELF shared library002<\#
    n=_1<n103elc10Aapplication/x-elc000CEmacs Lisp bytecode007<j<n=_>K>_>m?\1?\102el10Atext/x-emacs-lisp000AEmacs Li\#
    sp source003<n=I=_1=I103eot10Mapplication/vnd.ms-fontobject000FEmbedded OpenType font006<g<j<n=_>m?C2?C<g103fb21\#
    0Mapplication/x-fictionbook+xml000DFictionBook document008<j<n=_>K>\>]>_>m1>]104fish10Happlication/x-fishscript0\#
    00;fish script003<F<n=_2<n<F107flatpak20Gapplication/vnd.flatpak0Fapplication/vnd.xdgapp000>Flatpak bundle005<j<\#
    n=_>K>m1>K20:flatpakref0;flatpakrepo20Kapplication/vnd.flatpak.ref0Lapplication/vnd.flatpak.repo000AFlatpak refe\#
    rence006<j<n=_>K>_>m1>_207graphql03gql10Capplication/graphql000@GraphQL document005<g<j<n=_AA1AA203azw04azw320La\#
    pplication/vnd.amazon.ebook0Rapplication/vnd.amazon.mobi8-ebook000=Kindle e-book005<^<j<n=]=_1<^103kdc10Aimage/x\#
    -kodak-kdc000CKodak KDC raw image005<j<n=_>K>m1>K102la10Oapplication/x-shared-library-la000?libtool library006<n\#
    =?=B=_><@n1@n102ko0000CLinux kernel module002<n=_1<n102bc0000<LLVM bitcode003<F<n=_2<n<F102lz20Bapplication/x-lz\#
    ip0@application/lzip000<lzip archive003<F<n=_2<n<F103lzo10Bapplication/x-lzop000<lzop archive006<j<n=_>K>_>m1>_1\#
    02m420@application/x-m409text/x-m40009M4 source005<j<n=_>m?C1?C103pom0000=Maven project004<g<j<n=_2<n<g204mobi03\#
    prc10Napplication/x-mobipocket-ebook000AMobipocket e-book002<n=_1<n010Dapplication/pgp-keys000<OpenPGP keys002<n\#
    =_1<n203gpg03pgp10Iapplication/pgp-encrypted000?OpenPGP message002<n=_1<n103sig10Iapplication/pgp-signature000AO\#
    penPGP signature005<j<n=_>K>m1>K103org108text/org0008Org text002<n=_1<n204pcap06pcapng10Lapplication/vnd.tcpdump\#
    .pcap000>packet capture003<n=I=_1=I103pcf10Fapplication/x-font-pcf000?PCF bitmap font005<j<n=_>K>m1>K102pc0000Cp\#
    kg-config metadata009<j<n=_>K>V>\>]>_>m1>V103pyi0000@Python type stub0059k<F<n=_?G1?G103whl0000<Python wheel004<\#
    F<n=3=_2<n=3205qcow204qcow10Gapplication/x-qemu-disk000?QEMU disk image005<j<n=_>m?C1?C203rdf03owl10Capplication\#
    /rdf+xml000<RDF document005<j<n=_>K>m1>K104spec10?text/x-rpm-spec000=RPM spec file004:I<F<n=_1:I103gem00008Ruby \#
    gem006<j<n=_>K>_>m1>_104sass10;text/x-sass000?Sass stylesheet005<^<j<n=]=_1<^103x3f10Aimage/x-sigma-x3f000CSigma\#
     X3F raw image005<j<n=_=c>m1=c306js.map07css.map07mjs.map10Fapplication/source-map000:source map004<F<n=3=_2<n=3\#
    308squashfs04sqsh04snap20Happlication/vnd.squashfs0Dapplication/vnd.snap000>Squashfs image002<n=_1<n30;swiftmodu\#
    le08swiftdoc0?swiftsourceinfo0000<Swift module007<j<n=_>K>_>g>m1>g10>swiftinterface0000FSwift module interface00\#
    5<j<n=_>K>m1>K707service06socket06target05timer05mount09automount05slice10Ctext/x-systemd-unit000<systemd unit00\#
    6<j<n=_>K>_>m1>_202sv03svh20<text/x-svsrc0<text/x-svhdr000DSystemVerilog source004<g<j<n=_2<n<g103dvi10Aapplicat\#
    ion/x-dvi000@TeX DVI document005<j<n=_>K>m1>K204texi07texinfo10>text/x-texinfo000<Texinfo text002<n=_1<n010@appl\#
    ication/tzif000>time zone data005<j<n=_>K>m1>K304roff03man04tmac30:text/troff0Capplication/x-troff0Gapplication/\#
    x-troff-man000:troff text003<F<n=_2<n<F101a10Eapplication/x-archive000:ar archive006<j<n=_>K>_>m1>_204vala04vapi\#
    10;text/x-vala000;Vala source004<F<n=3=_2<n=3103vdi10Fapplication/x-vdi-disk000EVirtualBox disk image004<F<n=3=_\#
    2<n=3104vmdk10Gapplication/x-vmdk-disk000AVMware disk image003<n=B=_2<n=B104wasm10@application/wasm000BWebAssemb\#
    ly module004<j<n=]=_1=]010?image/x-xcursor0008X cursor005<j<n=]=_>m2=]>m103xpm10?image/x-xpixmap000>X pixmap ima\#
    ge006<j<n=_>K>_>m1>_103zig10:text/x-zig000:Zig source006<j<n=_>K>_>m1>_203erl03hrl10=text/x-erlang000=Erlang sou\#
    rce006<j<n=_>K>_>m1>_402fs03fsi03fsx08fsscript00009F# source005<j<n=_>m?C1?C106fsproj0000:F# project004<j<n=]=_1\#
    =]103xcf10;image/x-xcf000:GIMP image006<j<n=_>K>_>m1>_102go109text/x-go0009Go source006<j<n=_>K>_>m1>_106gradle0\#
    000CGradle build script006<j<n=_>K>_>m1>_202hs03lhs20>text/x-haskell0Gtext/x-literate-haskell000>Haskell source0\#
    04<j<n=_>m1>m104ldif10;text/x-ldif0009LDIF data006<j<n=_>K>_>m1>_103sql20?application/sql0:text/x-sql000:SQL sou\#
    rce004<j<n=_>m1>m105json510Aapplication/json5000>JSON5 document004<j<n=_>m1>m105jsonl10Aapplication/jsonl000:JSO\#
    N lines006<j<n=_>K>_>m1>_102jl0000<Julia source005<j<n=_=c>m1=c105ipynb10Happlication/x-ipynb+json000@Jupyter no\#
    tebook006<j<n=_>K>_>m1>_202kt03kts10=text/x-kotlin000=Kotlin source005<j<n=_>K>m1>K104less0000?Less stylesheet00\#
    6<j<n=_>K>_>m1>_103lua10:text/x-lua000:Lua source005<I<J<j<n=_1<I103mka20>audio/matroska0@audio/x-matroska000>Ma\#
    troska audio005<J<j<n=_=n1=n103mkv20>video/matroska0@video/x-matroska000>Matroska video004<j<n=_>m1>m204wiki09me\#
    diawiki0000>MediaWiki text0099_<j<n=B=_>K>\>_>m19_103cjs0000?CommonJS module006<j<n=_>K>_>m1>_202ml03mli10<text/\#
    x-ocaml000<OCaml source005<j<n=_>m?C1?C104opml20?text/x-opml+xml0;text/x-opml000<OPML outline005<j<n=_>K>m1>K203\#
    rst04rest10:text/x-rst000@reStructuredText006<j<n=_>K>_>m1>_101r00008R source006<j<n=_>K>_>m1>_103rkt0000=Racket\#
     source005<j<n=_>K>m1>K107gemspec0000FRuby gem specification006<j<n=_>K>_>m1>_103nim10:text/x-nim000:Nim source0\#
    06<j<n=_>K>_>m1>_305scala02sc03sbt10<text/x-scala000<Scala source006<j<n=_>K>_>m1>_103sol0000?Solidity source003\#
    <n<o=_2<n<o206sqlite07sqlite320Gapplication/vnd.sqlite30Eapplication/x-sqlite3000?SQLite database006<j<n=_>K>_>m\#
    1>_103swg0000>SWIG interface005<j<n=_>K>m1>K503tex05latex03ltx03sty03cls20:text/x-tex0Aapplication/x-tex000:TeX \#
    source005<j<n=_>K>m1>K103bib10=text/x-bibtex000CBibTeX bibliography003<F<n=_2<n<F104lzma10Bapplication/x-lzma000\#
    <LZMA archive005<j<n=_>K>m1>K103ass0000SAdvanced SubStation Alpha subtitles005<j<n=_>K>m1>K103srt10Dapplication/\#
    x-subrip000@SubRip subtitles005<j<n=_>K>m1>K103ssa10:text/x-ssa000JSubStation Alpha subtitles005<j<n=_>K>m1>K103\#
    sub10?text/x-microdvd000BMicroDVD subtitles005<j<n=_>K>m1>K103vim0000:Vim script003<n=I=_1=I104woff209font/woff0\#
    Eapplication/font-woff0009WOFF font003<n=I=_1=I105woff210:font/woff2000:WOFF2 font005<j<n=_>m?C1?C104wsdl10Dappl\#
    ication/wsdl+xml000Gweb service description004<j<n=_>m1>m103dtd10Capplication/xml-dtd000LXML document type defin\#
    ition005<j<n=_>m?C1?C203xsl04xslt10Dapplication/xslt+xml000?XSLT stylesheet005<I<J<j<n=_1<I104opus20:audio/opus0\#
    @audio/x-opus+ogg000:Opus audio005<j<n=_>m?C1?C103xsd0000:XML schema003<F<n=_2<n<F203lha03lzh10Aapplication/x-lh\#
    a000;LHA archive006<F<g<j<n=_@B2@B<g103cbr10Mapplication/vnd.comicbook-rar000Bcomic book archive0079k<F<g<j<n=_?\#
    G2?G<g103cbz10Mapplication/vnd.comicbook+zip000Bcomic book archive003<F<n=_2<n<F103lz410Aapplication/x-lz4000;LZ\#
    4 archive005<j<n=_>K>m1>K104toml10@application/toml000=TOML document006<j<n=_>K>_>m1>_103tcl308text/tcl0:text/x-\#
    tcl0Aapplication/x-tcl000:Tcl source000000000000~e3fr|96~e3g2|;O~e3gp|;N~e3gp2|;O~e3gpp|;N~e7z|:G~ea|A[~eaa|4@8j\#
    ~eaac|;P~eaae|7:~eaaf|:H~eaar|0\~eaax|4@8k~eabc|;U~eabr|?L~eac3|;Q~eada|;R~eadb|;R~eadoc|@X~eads|;R~eadts|;P~eae\#
    a|1W~eafm|@d~eafploc|0E~eahap|23~eai|06~eaif|;T~eaifc|;S~eaiff|;T~eamr|:F~eape|@@~eapk|?I~eapp|0X0Y~eappex|0W~ea\#
    ppimage|@e~eapplescript|0T~earobject|0]~earw|:5~eas|0U~easa|?i~easciidoc|@X~eascx|?j~easf|9B~eashx|?j~easif|1C~e\#
    asm|>:~easmx|?j~easp|?i~easpx|?j~eass|BE~eastc|:N~easx|9A~eatom|@f~eau|<H~eaupreset|0_~eautomount|AU~eavchd|<L~e\#
    avci|<N~eavcs|<O~eavi|<P~eavif|<Q~eawk|?[~eaxr|:6~eazw|A8~eazw3|A8~ebackupbundle|1D~eband|1h~ebash|<R~ebat|?k~eb\#
    azel|@Y~ebc|A<~ebdf|@g~ebib|BC~ebin|56~eblend|@\~ebmp|9C~ebr|?d~ebsh|@Z~ebundle|1j~ebwf|9R~ebz|<U~ebz2|<U~ebzl|@\#
    Y~ec|<[~ec++|<Y~ecab|9D~ecaf|12~ecbr|BR~ecbz|BS~ecc|<Y~eccl|0o~ecdda|<d~ecdr|1A~ecel|=G~ecer|??~ecfg|?S~echm|?n~\#
    ecjs|B6~ecl|>B~eclass|:?~eclj|@^~ecljc|@^~ecljr|@^~ecljs|@^~eclr|0o~ecls|BB~ecmake|?R~ecmd|?k~ecnf|?S~ecoffee|@`\#
    ~ecommand|8=~econf|?S~econfigprofile|11~ecp|<Y~ecpgz|0d~ecpio|<k~ecpp|<Y~ecr|@a~ecr2|8m~ecr3|8n~ecrash|15~ecrt|?\#
    ?~ecrw|8o~ecrx|@]~ecs|?l~ecsh|<l~ecsproj|?m~ecss|<m~ecss.map|AQ~ecsstore|16~ecsv|<f~ects|@9~ecu|@A~ecue|@N~ecuh|\#
    @A~ecur|9E~ecxx|<Y~ed|@c~ed.ts|@9~edae|:O~edart|@J~edbk|@j~edcm|:W~edcr|9<~edds|9F~edeb|@b~edefs|=k~eder|??~edes\#
    ktop|@i~edext|1N~edfont|8C~edi|@c~edib|9C~edic|@=~edicom|:W~edif|=6~ediff|>G~edist|3W~edistz|3W~edivx|?`~edjv|?g\#
    ~edjvu|?g~edll|9S~edls|=5~edlyan|=>~edmg|1E~edmgpart|1F~edng|0?~edoc|9\~edocbook|@j~edockerfile|?a~edocm|;A~edoc\#
    x|;@~edot|9]~edotm|;C~edotx|;B~edownload|7a~edrawing|1M~edrop|@k~edsym|8Y~edtd|BM~edv|=6~edvi|AW~edxo|92~edylib|\#
    6Q~eeac3|=A~eear|@D~eec3|=A~eedn|01~eefx|99~eel|A1~eelc|A0~eelm|?U~eeml|6b~eemlx|6c~eentitlements|8Z~eeot|A2~eep\#
    s|02~eepub|:L~eerb|?O~eerf|93~eerl|Ac~eetd|03~eex|?T~eexe|9T~eexp|87~eexr|98~eexs|?T~ef|=M~ef4a|05~ef4b|05~ef4p|\#
    05~ef4v|05~ef77|=J~ef90|=K~ef95|=L~efb2|A3~efbx|?N~efdf|04~efff|97~efileloc|1Y~efish|A4~eflac|;J~eflatpak|A5~efl\#
    atpakref|A6~eflatpakrepo|A6~eflc|=G~efli|=G~eflv|05~efor|=M~efpbf|1]~efpx|9;~efrag|:R~eframework|1f~efs|1[Ad~efs\#
    h|:R~efsi|Ad~efsproj|Ae~efsscript|Ad~efsx|Ad~eftploc|1g~egbproj|1h~egem|AN~egemspec|B<~egeojson|=O~egeom|:S~egif\#
    |90~eglb|:P~eglsl|:Q~egltf|:U~egmk|=h~egmo|@R~ego|Ag~egpg|AC~egpr|95~egpurestart|1n~egpx|:C~egql|A7~egradle|Ah~e\#
    graphql|A7~egroovy|@_~egroupactivity|1o~egsh|:S~egtar|:I~egz|:J~egzip|:J~eh|<V~eh++|<W~ehaml|@M~ehang|22~ehdr|>W\#
    ~eheic|=W~eheics|=X~eheif|=Y~eheifs|=[~ehh|<W~ehif|=Y~ehlsl|9L~ehp|<W~ehpp|<W~ehqx|0b~ehrl|Ac~ehs|Ai~ehtm|=\~eht\#
    ml|=\~ehxx|<W~ei|<\~eibooks|2L~eicc|10~eicloud|2O~eicm|10~eicns|2P~eico|9M~eiconset|33~eics|2M~eidml|?K~eii|<Z~e\#
    iig|35~eiiq|9h~eimg|1E~eimovielibrary|2:~eindd|?J~einetloc|1k~eini|@2~einl|<X~eino|?Q~einss|0B~eipa|41~eipp|<W~e\#
    ips|4?~eipsw|4A~eipynb|Ao~eiso|=^~eitms|4B~ej2c|=a~ej2k|=a~ejar|:>~ejav|:@~ejava|:@~ejavascript|9_~ejfx|9:~ejl|A\#
    n~ejnlp|:A~ejp2|=a~ejpe|=`~ejpeg|=`~ejpf|=a~ejpg|=`~ejpx|=a~ejs|9_~ejs.map|AQ~ejscript|9_~ejson|=c~ejson5|Al~ejs\#
    onl|Am~ejsp|@F~ejsx|?V~ejxl|=b~ekar|=j~ekdc|A9~ekext|4C~ekey|2<2?~ekey-tef|2=~ekeychain-db|4D~ekml|?e~ekmz|?f~ek\#
    o|A;~eksh|=d~ekt|B0~ekth|2>2@~ektrace|4G~ekts|B0~ektx|:V~el|=e~ela|A:~elatex|BB~elatm|>2~eldif|Aj~eless|B1~elha|\#
    BQ~elhs|Ai~elid|=>~elisp|?\~ell|=e~elm|=e~elmm|=e~eloas|>2~elog|4m~elogarchive|4n~elogicx|4o~elpdf|4l~elpp|=e~el\#
    sp|?\~eltx|BB~elua|B2~elxx|=e~elz|A=~elz4|BT~elzh|BQ~elzma|BD~elzo|A>~em|>?~em15|>3~em2ts|<M~em2v|>5~em3u|=g~em3\#
    u8|=g~em4|A?~em4a|50~em4b|7T~em4p|7S~em4r|6m~em4v|51~em75|>3~emailloc|6a~emak|=h~emake|=h~eman|AZ~emarkdown|@P~e\#
    mbox|6d~emd|@P~emd5|@h~emd5sums|@h~emdimporter|6g~emdown|@P~emdwn|@P~emediawiki|B5~emef|?h~emenu|6f~emetal|6h~em\#
    ht|:M~emhtm|:M~emhtml|:M~emi|>@~emid|=j~emidi|=j~emig|=k~emii|>>~eminc|00~emjs|9_~emjs.map|AQ~emk|=h~emka|B3~emk\#
    d|@P~emkdn|@P~emkv|B4~eml|B7~emli|B7~emlkitmodel|14~emlmodel|14~emlpackage|13~emm|>=~emnc|00~emo|@R~emobi|AA~emo\#
    bile|6i~emobileconfig|6i~emobileprovision|6j~emodulemap|=m~emom|8\~emos|9>~emount|AU~emov|7\~emp2|=o~emp3|>0~emp\#
    4|>6>7~empc|@Q~empe|>3~empeg|>3~empg|>3~empg4|>6>7~empga|>0~empkg|3X3Z~empo|>8~emrw|9=~emsi|@3~emts|<M@9~emxf|;D\#
    ~enasm|>:~endjson|>;~enef|9a~enewsloc|70~enib|3\~enii|:E~enim|B=~enix|@K~enmbtemplate|2D2E~enrw|9`~enumbers|2A2C\#
    ~enumbers-tef|2B~eo|><~eobj|=P~eodb|:[~eodc|:Y~eodf|:\~eodg|:^~eodi|:`~eodm|:g~eodp|:b~eods|:d~eodt|:f~eofd|>A~e\#
    oga|;K~eogg|;K~eogm|;L~eogv|;L~eogx|;L~eomf|8l~eopml|B8~eopus|BO~eorf|9c9b9d~eorg|AE~eotc|>C:Z~eotf|>D:]~eotg|:_\#
    ~eoth|:i~eoti|:a~eotp|:c~eots|:e~eott|:h~eowl|AL~ep12|:1~epages|2F2H~epages-tef|2G~epanic|76~epas|>F~epatch|>G~e\#
    pax|<k~epbm|>H~epbxproj|8^~epc|AH~epcap|AF~epcapng|AF~epcf|AG~epch|>P~epch++|>Q~epct|7<~epdf|07~epef|9g~epem|??~\#
    epf|10~epfa|0=~epfb|0>~epfm|>H~epfx|:1~epgm|>H~epgp|AC~eph3|>J~eph4|>J~ephotoslibrary|7;~ephp|>J~ephp3|>J~ephp4|\#
    >J~ephtml|>J~epic|7<>W~epict|7<~epictclipping|1_~epkg|3Y3Z~epkpass|7>7?~epkpasses|7@~epl|>I~eplaceholder|0Z~epla\#
    yground|1T~eplist|7R0a8c0^~epls|>M~eplugin|7A~epluginkit|7B~eply|>O~epm|>I~epng|>N~epntg|6[~epo|@S~epom|A@~epot|\#
    9O@T~epotm|;;~epotx|;:~eppa|@5~eppam|@6~eppm|>H~eppp|7L~epps|9P~eppsm|;9~eppsx|;8~eppt|9Q~epptm|;7~epptx|;6~eprc\#
    |AA~eprefpane|89~eproperties|@E~eproto|>S~eprovisionprofile|7V~eps|0:~eps1|@7~epsb|09~epsd|08~epsd1|@7~epsm1|@7~\#
    epvr|>T~epvt|7M~epy|>V~epyc|>U~epyi|AI~epyo|>U~eqcow|AK~eqcow2|AK~eqlgenerator|7Y~eqt|7\~eqta|7Z~eqti|7[~eqtif|7\#
    [~eqtz|7X~er|7_B:~era|9l~eraf|94~eram|9l~erar|@B~eraw|9e9?~erb|>Z~erbw|>Z~erdf|AL~ereality|7]~erest|B9~eresx|@V~\#
    erhtml|?O~erkt|B;~erm|9m~ermvb|9n~eroff|AZ~erpm|@C~ers|>[~erss|>X~erst|B9~ertf|>Y~ertfd|7`~erw2|9f~erwl|9@~es|<G\#
    ~esass|AO~esavedsearch|1a~esaver|8:~esbt|B>~esc|B>~escala|B>~escc|:3~escm|?]~escn|7b~escnz|7b~escpt|0R~escptd|0S\#
    ~escss|?P~esd2|91~esda|:l~esdc|;0~esdd|:n~esdef|7c~esdp|:n~esdv|;N~esdw|;2~esea|:<~eservice|7fAU~esf2|::~esgi|:4\#
    ~esh|>]~esha1|@h~esha256|@h~esha256sums|@h~esha512|@h~eshazamcatalog|7g~eshazamsignature|7h~eshortcut|7i~eshtm|=\#
    \~eshtml|=\~eshutdownstall|7j~esidx|:;~esig|AD~esit|:<~esitx|:=~eslice|AU~eslidesaver|8;~eslk|@0~esln|@8~esmf|=j\#
    :k~esmi|9o~esmil|9o~esml|9o~esnap|AR~esnd|<H~esndclipping|1b~eso|@o~esocket|AU~esol|B?~esparsebundle|1D~esparsei\#
    mage|1C~espec|AM~espin|7l~espx|;K~esql|Ak~esqlite|B@~esqlite3|B@~esqsh|AR~esquashfs|AR~esr2|:8~esrf|:7~esrt|BF~e\#
    srw|:2~ess|?]~essa|BG~estc|;1~estd|:m~esti|:o~estl|>c~estoryboard|1S~estrings|8`~estringsdict|8_~estw|;4~esty|BB\#
    ~esub|BH~esuggestionsassets|3[~esuit|1e~esv|AV~esvelte|@L~esvg|>f~esvgz|>f~esvh|AV~eswf|?M~eswg|BA~eswift|>g~esw\#
    iftdoc|AS~eswiftinterface|AT~eswiftmodule|AS~eswiftpm|86~eswiftsourceinfo|AS~esxc|;0~esxd|:l~esxg|;3~esxi|:n~esx\#
    m|:k~esxw|;2~esystemextension|88~etar|>j~etarget|AU~etbd|8>~etbz|>k~etbz2|>k~etcl|BV~etcsh|>l~etemplate|2I2J~ete\#
    rminal|8<~etex|BB~etexi|AX~etexinfo|AX~etext|>K~etextclipping|1c~etextile|@G~etf|?W~etfvars|?X~etga|:D~etgz|:K~e\#
    theater|2;~ethmx|@4~etif|>n~etiff|>n~etimer|AU~etmac|AZ~etoast|:0~etoml|BU~etool|8=~etorrent|@[~ets|>4@9@U~etsv|\#
    >i~etsx|@9~etta|@H~ettc|?0~ettf|?2~etwig|?Y~etxt|>K~etxz|;E~etzst|?c~eudeb|@b~eul|?3~eulaw|?3~eulw|?3~eurl|9N~eu\#
    sd|9i~eusda|9i~eusdc|9i~eusdz|9j~euu|?;~ev|?^~evala|A\~evapi|A\~evb|@<~evbs|@<~evcal|2N~evcard|?<~evcf|?<~evcs|2\#
    N~evdi|A]~evert|:T~evfw|<P~evhd|?_~evhdl|?_~evim|BI~evmdk|A^~evncloc|8M~evob|@O~evs|:T~evsd|@:~evsdx|@;~evsh|:T~\#
    evtt|;G~evue|?Z~ew64|:9~ewar|:B~ewarc|@W~ewasm|A_~ewatchface|8O~ewav|9R~ewave|9R~ewax|9U~ewdgt|17~ewebarchive|8Q\#
    ~ewebloc|8P~ewebm|;H~ewebp|;I~ewebplugin|8R~ewhl|AJ~ewiki|B5~ewm|9V~ewma|9W~ewmp|9X~ewmv|9Y~ewmx|9Z~ewoff|BJ~ewo\#
    ff2|BK~eworkflow|0`~ewsdl|BL~ewtv|@>~ewv|@I~ewvx|9[~ex3f|AP~examl|@?~exar|8T~exbm|?@~excarchive|8W~excassets|1P~\#
    excconfig|8X~excdatamodel|8[~excf|Af~excframework|8U~excodeproj|8]~excprivacy|8V~excscheme|1Q~excstrings|8a~exct\#
    estplan|1U~excworkspace|1R~exfd|?A~exfdf|0@~exht|?B~exhtm|?B~exhtml|?B~exib|3]~exip|8b~exla|9H~exlam|?o~exlf|:j~\#
    exliff|:j~exll|@1~exls|9I~exlsb|9G~exlsm|;=~exlsx|;<~exlt|9J~exltm|;?~exltx|;>~exlw|9K~exml|?C9^~expc|8d~expm|Aa\#
    ~exsd|BP~exsl|BN~exslt|BN~exz|;F~ey|?D~eyaa|0\~eyaml|?E~eym|?D~eyml|?E~eymm|?D~eypp|?D~eyxx|?D~eyy|?D~ez|?F~ezig\#
    |Ab~ezip|?G~ezsh|?H~ezst|?b~ezstd|?b~ica.mcgill.mni.bic.mnc|00~icom.adobe.edn|01~icom.adobe.encapsulated-postscr\#
    ipt|02~icom.adobe.etd|03~icom.adobe.fdf|04~icom.adobe.flash.video|05~icom.adobe.illustrator.ai-image|06~icom.ado\#
    be.indesign-document|?J~icom.adobe.indesign-markup|?K~icom.adobe.pdf|07~icom.adobe.photoshop-image|08~icom.adobe\#
    .photoshop-large-image|09~icom.adobe.photoshop.brush|?L~icom.adobe.postscript|0:~icom.adobe.postscript-font|0;~i\#
    com.adobe.postscript-lwfn-font|0<~icom.adobe.postscript-pfa-font|0=~icom.adobe.postscript-pfb-font|0>~icom.adobe\#
    .raw-image|0?~icom.adobe.shockwave-flash|?M~icom.adobe.xfdf|0@~icom.allume.stuffit-archive|0A~icom.apple.account\#
    s-icon|0C~icom.apple.active-webpage|0D~icom.apple.afp-internet-location|0E~icom.apple.airdrop|0F~icom.apple.airp\#
    ort|0G~icom.apple.airport-express|0H~icom.apple.airport-extreme-tower|0I~icom.apple.airport-time-capsule-tower|0\#
    J~icom.apple.alert|0K~icom.apple.alert-caution|0L~icom.apple.alert-note|0M~icom.apple.alert-stop|0N~icom.apple.a\#
    lias-file|0O~icom.apple.alias-record|0P~icom.apple.apple-tv|0Q~icom.apple.applescript.script|0R~icom.apple.apple\#
    script.script-bundle|0S~icom.apple.applescript.text|0T~icom.apple.applesingle-archive|0U~icom.apple.application|\#
    0V~icom.apple.application-and-system-extension|0W~icom.apple.application-bundle|0X~icom.apple.application-file|0\#
    Y~icom.apple.application-placeholder|0Z~icom.apple.applications-folder|0[~icom.apple.archive|0\~icom.apple.arobj\#
    ect|0]~icom.apple.ascii-property-list|0^~icom.apple.audio-unit-preset|0_~icom.apple.automator-workflow|0`~icom.a\#
    pple.binary-property-list|0a~icom.apple.binhex-archive|0b~icom.apple.bom-archive|0c~icom.apple.bom-compressed-cp\#
    io|0d~icom.apple.bonjour|0e~icom.apple.bookmark|0f~icom.apple.bundle|0g~icom.apple.cinema-display|0h~icom.apple.\#
    cocoa.pasteboard.character-formatting|0i~icom.apple.cocoa.pasteboard.color|0j~icom.apple.cocoa.pasteboard.find-p\#
    anel-search-options|0k~icom.apple.cocoa.pasteboard.multiple-text-selection|0l~icom.apple.cocoa.pasteboard.paragr\#
    aph-formatting|0m~icom.apple.cocoa.pasteboard.sound|0n~icom.apple.color-file|0o~icom.apple.colorsync-profile|10~\#
    icom.apple.configprofile|11~icom.apple.coreaudio-format|12~icom.apple.coreml.mlpackage|13~icom.apple.coreml.mode\#
    l|14~icom.apple.crashreport|15~icom.apple.csstore|16~icom.apple.dashboard-widget|17~icom.apple.data-container|18\#
    ~icom.apple.deprecated-application-file|19~icom.apple.desktop-folder|1:~icom.apple.developer-folder|1;~icom.appl\#
    e.developer-transition-kit-2005|1<~icom.apple.developer-transition-kit-2020|1=~icom.apple.device|1>~icom.apple.d\#
    evice-model-code|1?~icom.apple.disk-image|1@~icom.apple.disk-image-cdr|1A~icom.apple.disk-image-raw|1B~icom.appl\#
    e.disk-image-sparse|1C~icom.apple.disk-image-sparse-bundle|1D~icom.apple.disk-image-udif|1E~icom.apple.disk-imag\#
    e-udif-segment|1F~icom.apple.document-type|1G~icom.apple.document-type.dictionary|1H~icom.apple.document-type.sy\#
    stem-folder|1I~icom.apple.documents-folder|1J~icom.apple.dot-mac|1K~icom.apple.downloads-folder|1L~icom.apple.dr\#
    awing|1M~icom.apple.driver-extension|1N~icom.apple.drop-folder|1O~icom.apple.dt.assetcatalog|1P~icom.apple.dt.do\#
    cument.scheme|1Q~icom.apple.dt.document.workspace|1R~icom.apple.dt.interfacebuilder.document.storyboard|1S~icom.\#
    apple.dt.playground|1T~icom.apple.dt.xctestplancontenttype|1U~icom.apple.emac|1V~icom.apple.encrypted-archive|1W\#
    ~icom.apple.everyone-icon|1X~icom.apple.file-internet-location|1Y~icom.apple.file-server|1Z~icom.apple.file-syst\#
    em-plug-in|1[~icom.apple.file-vault|1\~icom.apple.finder.burn-folder|1]~icom.apple.finder.clipping|1^~icom.apple\#
    .finder.pictclipping|1_~icom.apple.finder.recent-items|1`~icom.apple.finder.smart-folder|1a~icom.apple.finder.so\#
    und-clipping|1b~icom.apple.finder.textclipping|1c~icom.apple.flat-rtfd|1d~icom.apple.font-suitcase|1e~icom.apple\#
    .framework|1f~icom.apple.ftp-internet-location|1g~icom.apple.garageband.project|1h~icom.apple.generic-airdisk|1i\#
    ~icom.apple.generic-bundle|1j~icom.apple.generic-internet-location|1k~icom.apple.generic-stationery|1l~icom.appl\#
    e.generic-time-machine-disk|1m~icom.apple.gpurestart|1n~icom.apple.groupactivities.activity|1o~icom.apple.groups\#
    -folder|20~icom.apple.guest-user|21~icom.apple.hangreport|22~icom.apple.haptics.ahap|23~icom.apple.help-document\#
    |24~icom.apple.home-folder|25~icom.apple.homebuttonless-device|BW~icom.apple.homebuttonless-ipad|26~icom.apple.h\#
    omebuttonless-iphone|27~icom.apple.homepod|28~icom.apple.ibook-g4|2K~icom.apple.ibooks|2L~icom.apple.ical.ics|2M\#
    ~icom.apple.ical.vcs|2N~icom.apple.icloud|29~icom.apple.icloud-file-fault|2O~icom.apple.icns|2P~icom.apple.icon-\#
    decoration|2Q~icom.apple.icon-decoration-position|2R~icom.apple.icon-decoration-position.center|2S~icom.apple.ic\#
    on-decoration-position.leading-bottom|2T~icom.apple.icon-decoration-position.overlay|2U~icom.apple.icon-decorati\#
    on-position.trailing-bottom|2V~icom.apple.icon-decoration.badge|2W~icom.apple.icon-decoration.badge.checkmark|2X\#
    ~icom.apple.icon-decoration.badge.comments|2Y~icom.apple.icon-decoration.badge.drop-folder|2Z~icom.apple.icon-de\#
    coration.badge.heart|2[~icom.apple.icon-decoration.badge.in-review|2\~icom.apple.icon-decoration.badge.locked|2]\#
    ~icom.apple.icon-decoration.badge.locked-by-collaborator|2^~icom.apple.icon-decoration.badge.locked-by-user|2_~i\#
    com.apple.icon-decoration.badge.pinned|2`~icom.apple.icon-decoration.badge.private-folder|2a~icom.apple.icon-dec\#
    oration.badge.syncing|2b~icom.apple.icon-decoration.badge.trending|2c~icom.apple.icon-decoration.badge.warning|2\#
    d~icom.apple.icon-decoration.emboss|2e~icom.apple.icon-decoration.system|2f~icom.apple.icon-decoration.system.al\#
    ias|2g~icom.apple.icon-decoration.system.caution-alert|2h~icom.apple.icon-decoration.system.new-folder|2i~icom.a\#
    pple.icon-decoration.system.unsupported|2j~icom.apple.icon-overlay.alert-caution-badge|2k~icom.apple.icon-overla\#
    y.alias-badge|2l~icom.apple.icon-overlay.drop-folder-badge|2m~icom.apple.icon-overlay.locked-badge|2n~icom.apple\#
    .icon-overlay.new-folder-badge|2o~icom.apple.icon-overlay.private-folder|30~icom.apple.icon-overlay.private-fold\#
    er-badge|31~icom.apple.icon-overlay.unsupported-badge|32~icom.apple.iconset|33~icom.apple.idisk|34~icom.apple.ii\#
    g-source|35~icom.apple.imac|36~icom.apple.imac-15-1|37~icom.apple.imac-2021|38~icom.apple.imac-2021-blue|39~icom\#
    .apple.imac-2021-green|3:~icom.apple.imac-2021-orange|3;~icom.apple.imac-2021-purple|3<~icom.apple.imac-2021-red\#
    |3=~icom.apple.imac-2021-silver|3>~icom.apple.imac-2021-yellow|3?~icom.apple.imac-aluminum-20|3@~icom.apple.imac\#
    -aluminum-24|3A~icom.apple.imac-core-2-duo|3B~icom.apple.imac-core-duo|3C~icom.apple.imac-g4-15|3D~icom.apple.im\#
    ac-g4-17|3E~icom.apple.imac-g4-20|3F~icom.apple.imac-g5|3G~icom.apple.imac-g5-isight|3H~icom.apple.imac-isight-2\#
    4|3I~icom.apple.imac-unibody|3J~icom.apple.imac-unibody-21|3K~icom.apple.imac-unibody-21-no-optical|3L~icom.appl\#
    e.imac-unibody-21-no-optical-2017|3M~icom.apple.imac-unibody-21-no-optical-2019|3N~icom.apple.imac-unibody-21-no\#
    -optical.mid-2015|3O~icom.apple.imac-unibody-27-no-optical|3P~icom.apple.imac-unibody-27-no-optical-2017|3Q~icom\#
    .apple.imac-unibody-27-no-optical-2019|3R~icom.apple.imac-unibody-27-no-optical-2020|3S~icom.apple.imac-unibody-\#
    27-no-optical-late-2015|3T~icom.apple.imacpro-2017|3U~icom.apple.imovielibrary|2:~icom.apple.imovietheater|2;~ic\#
    om.apple.ink.inktext|3V~icom.apple.installer-distribution-package|3W~icom.apple.installer-meta-package|3X~icom.a\#
    pple.installer-package|3Y~icom.apple.installer-package-archive|3Z~icom.apple.intelligentsuggestions.assets|3[~ic\#
    om.apple.interfacebuilder.document|3\~icom.apple.interfacebuilder.document.cocoa|3]~icom.apple.internet-location\#
    |3^~icom.apple.ios-device|3_~icom.apple.ios-simulator|3`~icom.apple.ipad|3a~icom.apple.iphone|3b~icom.apple.ipho\#
    ne-3g|3c~icom.apple.iphone-3gs|3d~icom.apple.iphone-4|3e~icom.apple.iphone-8|3f~icom.apple.iphone-8-2|3g~icom.ap\#
    ple.iphone-8-7|3h~icom.apple.iphone-8-8|3i~icom.apple.iphone-8-plus|3j~icom.apple.iphone-8-plus-1|3k~icom.apple.\#
    iphone-8-plus-2|3l~icom.apple.iphone-8-plus-3|3m~icom.apple.iphone-x|3n~icom.apple.iphone-x-1|3o~icom.apple.ipho\#
    ne-x-2|40~icom.apple.iphone.package-archive|41~icom.apple.ipod|42~icom.apple.ipod-classic|43~icom.apple.ipod-min\#
    i|44~icom.apple.ipod-nano|45~icom.apple.ipod-shuffle|46~icom.apple.ipod-shuffle-gen1|47~icom.apple.ipod-shuffle-\#
    gen2|48~icom.apple.ipod-shuffle-gen3|49~icom.apple.ipod-shuffle-gen4|4:~icom.apple.ipod-touch|4;~icom.apple.ipod\#
    -touch-2|4<~icom.apple.ipod-touch-3|4=~icom.apple.ipod-touch-4|4>~icom.apple.ips|4?~icom.apple.itunes.audible|4@\#
    ~icom.apple.itunes.ipsw|4A~icom.apple.itunes.store-url|4B~icom.apple.iwork.keynote.key|2<~icom.apple.iwork.keyno\#
    te.key-tef|2=~icom.apple.iwork.keynote.kth|2>~icom.apple.iwork.keynote.sffkey|2?~icom.apple.iwork.keynote.sffkth\#
    |2@~icom.apple.iwork.numbers.numbers|2A~icom.apple.iwork.numbers.numbers-tef|2B~icom.apple.iwork.numbers.sffnumb\#
    ers|2C~icom.apple.iwork.numbers.sfftemplate|2D~icom.apple.iwork.numbers.template|2E~icom.apple.iwork.pages.pages\#
    |2F~icom.apple.iwork.pages.pages-tef|2G~icom.apple.iwork.pages.sffpages|2H~icom.apple.iwork.pages.sfftemplate|2I\#
    ~icom.apple.iwork.pages.template|2J~icom.apple.kernel-extension|4C~icom.apple.keychain|4D~icom.apple.keynote.key\#
    |4E~icom.apple.keynote.kth|4F~icom.apple.ktrace|4G~icom.apple.led-cinema-display-24|4H~icom.apple.led-cinema-dis\#
    play-27|4I~icom.apple.legacy-ipod|4J~icom.apple.legacy.actions-icon|4K~icom.apple.legacy.backward-arrow|4L~icom.\#
    apple.legacy.burn|4M~icom.apple.legacy.clock-icon|4N~icom.apple.legacy.connect-to|4O~icom.apple.legacy.customize\#
    -toolbar|4P~icom.apple.legacy.delete-toolbar|4Q~icom.apple.legacy.eject-media|4R~icom.apple.legacy.erasing|4S~ic\#
    om.apple.legacy.favorite-items|4T~icom.apple.legacy.finder-icon|4U~icom.apple.legacy.forward-arrow|4V~icom.apple\#
    .legacy.general-icon|4W~icom.apple.legacy.grid|4X~icom.apple.legacy.keep-arranged|4Y~icom.apple.legacy.locked|4Z\#
    ~icom.apple.legacy.magnifying-glass|4[~icom.apple.legacy.multiple-items|4\~icom.apple.legacy.no-write|4]~icom.ap\#
    ple.legacy.open-folder|4^~icom.apple.legacy.question-mark|4_~icom.apple.legacy.right-container-arrow|4`~icom.app\#
    le.legacy.sidebar-prefs-icon|4a~icom.apple.legacy.synchronize|4b~icom.apple.legacy.toolbar-advanced-icon|4c~icom\#
    .apple.legacy.toolbar-info-icon|4d~icom.apple.legacy.toolbar-labels-icon|4e~icom.apple.legacy.unlocked|4f~icom.a\#
    pple.legacy.window|4g~icom.apple.library-folder|4h~icom.apple.linkpresentation.metadata|4i~icom.apple.live-photo\#
    |4j~icom.apple.localizable-name-bundle|4k~icom.apple.localized-pdf-bundle|4l~icom.apple.log|4m~icom.apple.logarc\#
    hive|4n~icom.apple.logicx.project|4o~icom.apple.m4a-audio|50~icom.apple.m4v-video|51~icom.apple.mac|52~icom.appl\#
    e.mac.laptop|53~icom.apple.mac.rackmount|54~icom.apple.mac.tower|55~icom.apple.macbinary-archive|56~icom.apple.m\#
    acbook|57~icom.apple.macbook-black|58~icom.apple.macbook-retina|59~icom.apple.macbook-retina-gold|5:~icom.apple.\#
    macbook-retina-gold-2017|5;~icom.apple.macbook-retina-gold-2018|5<~icom.apple.macbook-retina-rose-gold|5=~icom.a\#
    pple.macbook-retina-rose-gold-2017|5>~icom.apple.macbook-retina-silver|5?~icom.apple.macbook-retina-silver-2017|\#
    5@~icom.apple.macbook-retina-space-gray|5A~icom.apple.macbook-retina-space-gray-2017|5B~icom.apple.macbook-unibo\#
    dy|5C~icom.apple.macbook-unibody-plastic|5D~icom.apple.macbook-white|5E~icom.apple.macbookair|5F~icom.apple.macb\#
    ookair-11-unibody|5G~icom.apple.macbookair-13-unibody|5H~icom.apple.macbookair-2018|5I~icom.apple.macbookair-201\#
    8-gold|5J~icom.apple.macbookair-2018-silver|5K~icom.apple.macbookair-2018-space-gray|5L~icom.apple.macbookair-20\#
    19|5M~icom.apple.macbookair-2019-gold|5N~icom.apple.macbookair-2019-silver|5O~icom.apple.macbookair-2019-space-g\#
    ray|5P~icom.apple.macbookair-2020|5Q~icom.apple.macbookair-2020-gold|5R~icom.apple.macbookair-2020-silver|5S~ico\#
    m.apple.macbookair-2020-space-gray|5T~icom.apple.macbookair-late-2020|5U~icom.apple.macbookair-late-2020-gold|5V\#
    ~icom.apple.macbookair-late-2020-silver|5W~icom.apple.macbookair-late-2020-space-gray|5X~icom.apple.macbookpro|5\#
    Y~icom.apple.macbookpro-13-retina-display|5Z~icom.apple.macbookpro-13-retina-four-usb-ports-2020|5[~icom.apple.m\#
    acbookpro-13-retina-four-usb-ports-silver-2020|5\~icom.apple.macbookpro-13-retina-four-usb-ports-space-gray-2020\#
    |5]~icom.apple.macbookpro-13-retina-touchid|5^~icom.apple.macbookpro-13-retina-touchid-2017|5_~icom.apple.macboo\#
    kpro-13-retina-touchid-2018|5`~icom.apple.macbookpro-13-retina-touchid-2020|5a~icom.apple.macbookpro-13-retina-t\#
    ouchid-late-2020|5b~icom.apple.macbookpro-13-retina-touchid-silver|5c~icom.apple.macbookpro-13-retina-touchid-si\#
    lver-2017|5d~icom.apple.macbookpro-13-retina-touchid-silver-2018|5e~icom.apple.macbookpro-13-retina-touchid-silv\#
    er-2020|5f~icom.apple.macbookpro-13-retina-touchid-silver-late-2020|5g~icom.apple.macbookpro-13-retina-touchid-s\#
    pace-gray|5h~icom.apple.macbookpro-13-retina-touchid-space-gray-2017|5i~icom.apple.macbookpro-13-retina-touchid-\#
    space-gray-2018|5j~icom.apple.macbookpro-13-retina-touchid-space-gray-2020|5k~icom.apple.macbookpro-13-retina-to\#
    uchid-space-gray-late-2020|5l~icom.apple.macbookpro-13-retina-usbc|5m~icom.apple.macbookpro-13-retina-usbc-2017|\#
    5n~icom.apple.macbookpro-13-retina-usbc-2019|5o~icom.apple.macbookpro-13-retina-usbc-silver|60~icom.apple.macboo\#
    kpro-13-retina-usbc-silver-2017|61~icom.apple.macbookpro-13-retina-usbc-silver-2019|62~icom.apple.macbookpro-13-\#
    retina-usbc-space-gray|63~icom.apple.macbookpro-13-retina-usbc-space-gray-2017|64~icom.apple.macbookpro-13-retin\#
    a-usbc-space-gray-2019|65~icom.apple.macbookpro-13-unibody|66~icom.apple.macbookpro-15|67~icom.apple.macbookpro-\#
    15-late-2018|68~icom.apple.macbookpro-15-retina-display|69~icom.apple.macbookpro-15-retina-touchid|6:~icom.apple\#
    .macbookpro-15-retina-touchid-2017|6;~icom.apple.macbookpro-15-retina-touchid-2018|6<~icom.apple.macbookpro-15-r\#
    etina-touchid-silver|6=~icom.apple.macbookpro-15-retina-touchid-silver-2017|6>~icom.apple.macbookpro-15-retina-t\#
    ouchid-silver-2018|6?~icom.apple.macbookpro-15-retina-touchid-space-gray|6@~icom.apple.macbookpro-15-retina-touc\#
    hid-space-gray-2017|6A~icom.apple.macbookpro-15-retina-touchid-space-gray-2018|6B~icom.apple.macbookpro-15-silve\#
    r-late-2018|6C~icom.apple.macbookpro-15-space-gray-late-2018|6D~icom.apple.macbookpro-15-unibody|6E~icom.apple.m\#
    acbookpro-16|6F~icom.apple.macbookpro-16-mid-2020|6G~icom.apple.macbookpro-16-silver|6H~icom.apple.macbookpro-16\#
    -silver-mid-2020|6I~icom.apple.macbookpro-16-space-gray|6J~icom.apple.macbookpro-16-space-gray-mid-2020|6K~icom.\#
    apple.macbookpro-17|6L~icom.apple.macbookpro-17-unibody|6M~icom.apple.mach-o-binary|6N~icom.apple.mach-o-bundle|\#
    6O~icom.apple.mach-o-core|6P~icom.apple.mach-o-dylib|6Q~icom.apple.mach-o-executable|6R~icom.apple.mach-o-object\#
    |6S~icom.apple.macmini|6T~icom.apple.macmini-2018|6U~icom.apple.macmini-2020|6V~icom.apple.macmini-core-duo|6W~i\#
    com.apple.macmini-g4|6X~icom.apple.macmini-unibody|6Y~icom.apple.macmini-unibody-no-optical|6Z~icom.apple.macpai\#
    nt-image|6[~icom.apple.macpro|6\~icom.apple.macpro-2019|6]~icom.apple.macpro-2019-rackmount|6^~icom.apple.macpro\#
    -cylinder|6_~icom.apple.macpro-firewire|6`~icom.apple.mail-internet-location|6a~icom.apple.mail.email|6b~icom.ap\#
    ple.mail.emlx|6c~icom.apple.mail.mbox|6d~icom.apple.mapkit.map-item|6e~icom.apple.menu-extra|6f~icom.apple.metad\#
    ata-importer|6g~icom.apple.metal|6h~icom.apple.mobileconfig|6i~icom.apple.mobileprovision|6j~icom.apple.mount-po\#
    int|6k~icom.apple.movie-folder|6l~icom.apple.mpeg-4-ringtone|6m~icom.apple.music-folder|6n~icom.apple.network-ne\#
    ighborhood|6o~icom.apple.news-internet-location|70~icom.apple.not-loaded|71~icom.apple.notifications|72~icom.app\#
    le.nspboard-type|73~icom.apple.ostype|74~icom.apple.package|75~icom.apple.panicreport|76~icom.apple.pasteboard.p\#
    romised-file-content-type|77~icom.apple.pasteboard.promised-file-url|78~icom.apple.pef-binary|79~icom.apple.phot\#
    os.apple-adjustment-envelope|7:~icom.apple.photos.library|7;~icom.apple.pict|7<~icom.apple.pictures-folder|7=~ic\#
    om.apple.pkpass|7>~icom.apple.pkpass-data|7?~icom.apple.pkpasses-data|7@~icom.apple.plugin|7A~icom.apple.plugink\#
    it|7B~icom.apple.powerbook|7C~icom.apple.powerbook-g4-12|7D~icom.apple.powerbook-g4-15|7E~icom.apple.powerbook-g\#
    4-17|7F~icom.apple.powerbook-g4-titanium|7G~icom.apple.powermac|7H~icom.apple.powermac-g4-mirrored-drive-doors|7\#
    I~icom.apple.powermac-g4-quicksilver|7J~icom.apple.powermac-g5|7K~icom.apple.ppp-plug-in|7L~icom.apple.private.l\#
    ive-photo-bundle|7M~icom.apple.pro-display-xdr|7N~icom.apple.profile-background-color|7O~icom.apple.profile-font\#
    -and-color|7P~icom.apple.profile-font-icon|7Q~icom.apple.property-list|7R~icom.apple.protected-mpeg-4-audio|7S~i\#
    com.apple.protected-mpeg-4-audio-b|7T~icom.apple.protected-mpeg-4-video|7U~icom.apple.provisionprofile|7V~icom.a\#
    pple.public-folder|7W~icom.apple.quartz-composer-composition|7X~icom.apple.quicklook-generator|7Y~icom.apple.qui\#
    cktime-audio|7Z~icom.apple.quicktime-image|7[~icom.apple.quicktime-movie|7\~icom.apple.reality|7]~icom.apple.res\#
    olvable|7^~icom.apple.rez-source|7_~icom.apple.rtfd|7`~icom.apple.safari.download|7a~icom.apple.scenekit.scene|7\#
    b~icom.apple.scripting-definition|7c~icom.apple.server-applications-folder|7d~icom.apple.servers-folder|7e~icom.\#
    apple.service-application|7f~icom.apple.setupassistant.internet-signup|0B~icom.apple.shazamcatalog|7g~icom.apple\#
    .shazamsignature|7h~icom.apple.shortcut|7i~icom.apple.shutdownstall|7j~icom.apple.sites-folder|7k~icom.apple.spi\#
    nreport|7l~icom.apple.storage-external|7m~icom.apple.storage-internal|7n~icom.apple.storage-netboot|7o~icom.appl\#
    e.storage-removable|80~icom.apple.structured-text|81~icom.apple.structured-text.address|82~icom.apple.structured\#
    -text.date|83~icom.apple.structured-text.telephone-number|84~icom.apple.structured-text.transit-information|85~i\#
    com.apple.swiftpm|86~icom.apple.symbol-export|87~icom.apple.system-extension|88~icom.apple.systempreference.pref\#
    pane|89~icom.apple.systempreference.screen-saver|8:~icom.apple.systempreference.screen-slide-saver|8;~icom.apple\#
    .terminal.settings|8<~icom.apple.terminal.shell-script|8=~icom.apple.text-based-dylib|8>~icom.apple.time-capsule\#
    |8?~icom.apple.traditional-mac-plain-text|8@~icom.apple.trash-empty|8A~icom.apple.trash-full|8B~icom.apple.truet\#
    ype-datafork-suitcase-font|8C~icom.apple.txn.text-multimedia-data|8D~icom.apple.unknown-object|8E~icom.apple.use\#
    r|8F~icom.apple.user-group|8G~icom.apple.user-idisk|8H~icom.apple.user-unknown|8I~icom.apple.users-folder|8J~ico\#
    m.apple.utilities-folder|8K~icom.apple.virtual-machine|8L~icom.apple.vnc-internet-location|8M~icom.apple.watch|8\#
    N~icom.apple.watchface|8O~icom.apple.web-internet-location|8P~icom.apple.webarchive|8Q~icom.apple.webkit-plugin|\#
    8R~icom.apple.x11-mach-o-executable|8S~icom.apple.xar-archive|8T~icom.apple.xcframework|8U~icom.apple.xcode.app-\#
    privacy-property-list|8V~icom.apple.xcode.archive|8W~icom.apple.xcode.configsettings|8X~icom.apple.xcode.dsym|8Y\#
    ~icom.apple.xcode.entitlements-property-list|8Z~icom.apple.xcode.model|8[~icom.apple.xcode.mom|8\~icom.apple.xco\#
    de.project|8]~icom.apple.xcode.projectdata|8^~icom.apple.xcode.strings-dictionary|8_~icom.apple.xcode.strings-te\#
    xt|8`~icom.apple.xcode.xcstrings|8a~icom.apple.xip-archive|8b~icom.apple.xml-property-list|8c~icom.apple.xpc-ser\#
    vice|8d~icom.apple.xserve|8e~icom.apple.xserve-g4|8f~icom.apple.xserve-g5|8g~icom.apple.xserve-xeon|8h~icom.audi\#
    ble.aa-audio|8i~icom.audible.aa-audiobook|8j~icom.audible.aax-audiobook|8k~icom.autodesk.fbx|?N~icom.avid.open-m\#
    edia-framework|8l~icom.barebones.bbedit.erb-source|?O~icom.barebones.bbedit.scss-source|?P~icom.bps.arduino-sour\#
    ce|?Q~icom.bps.cmake-source|?R~icom.bps.conf|?S~icom.bps.elixir-source|?T~icom.bps.elm-source|?U~icom.bps.javasc\#
    ript-xml|?V~icom.bps.terraform-source|?W~icom.bps.terraform-vars|?X~icom.bps.twig-source|?Y~icom.bps.vuejs-sourc\#
    e|?Z~icom.canon.cr2-raw-image|8m~icom.canon.cr3-raw-image|8n~icom.canon.crw-raw-image|8o~icom.compuserve.gif|90~\#
    icom.coteditor.awk|?[~icom.coteditor.lisp|?\~icom.coteditor.scheme|?]~icom.coteditor.verilog|?^~icom.coteditor.v\#
    hdl|?_~icom.digidesign.sd2-audio|91~icom.divx.divx|?`~icom.docker.dockerfile|?a~icom.dxo.raw-image|92~icom.epson\#
    .raw-image|93~icom.facebook.zstandard-archive|?b~icom.facebook.zstandard-tar-archive|?c~icom.fuji.raw-image|94~i\#
    com.google.brotli-archive|?d~icom.google.earth.kml|?e~icom.google.earth.kmz|?f~icom.gopro.gpr|95~icom.hasselblad\#
    .3fr-raw-image|96~icom.hasselblad.fff-raw-image|97~icom.ilm.openexr-image|98~icom.j2.efx-fax|99~icom.j2.jfx-fax|\#
    9:~icom.kodak.flashpix-image|9;~icom.kodak.raw-image|9<~icom.konicaminolta.raw-image|9=~icom.leafamerica.raw-ima\#
    ge|9>~icom.leica.raw-image|9?~icom.leica.rwl-raw-image|9@~icom.lizardtech.djvu|?g~icom.mamiya.raw-image|?h~icom.\#
    microsoft.advanced-stream-redirector|9A~icom.microsoft.advanced-systems-format|9B~icom.microsoft.asp|?i~icom.mic\#
    rosoft.asp.net|?j~icom.microsoft.batch-file|?k~icom.microsoft.bmp|9C~icom.microsoft.c-sharp|?l~icom.microsoft.c-\#
    sharp-project|?m~icom.microsoft.cab|9D~icom.microsoft.chm-archive|?n~icom.microsoft.cur|9E~icom.microsoft.dds|9F\#
    ~icom.microsoft.excel.openxml.addin|?o~icom.microsoft.excel.sheet.binary.macroenabled|9G~icom.microsoft.excel.sl\#
    k|@0~icom.microsoft.excel.xla|9H~icom.microsoft.excel.xll|@1~icom.microsoft.excel.xls|9I~icom.microsoft.excel.xl\#
    t|9J~icom.microsoft.excel.xlw|9K~icom.microsoft.hlsl|9L~icom.microsoft.ico|9M~icom.microsoft.ini|@2~icom.microso\#
    ft.internet-shortcut|9N~icom.microsoft.msi-installer|@3~icom.microsoft.office.openxml.theme|@4~icom.microsoft.po\#
    werpoint.pot|9O~icom.microsoft.powerpoint.ppa|@5~icom.microsoft.powerpoint.ppam|@6~icom.microsoft.powerpoint.pps\#
    |9P~icom.microsoft.powerpoint.ppt|9Q~icom.microsoft.powershell-script|@7~icom.microsoft.solution|@8~icom.microso\#
    ft.typescript|@9~icom.microsoft.visio.legacyformats.visioml.document|@:~icom.microsoft.visio.openxmlformats.visi\#
    oml.document|@;~icom.microsoft.visual-basic|@<~icom.microsoft.waveform-audio|9R~icom.microsoft.windows-dynamic-l\#
    ink-library|9S~icom.microsoft.windows-executable|9T~icom.microsoft.windows-media-wax|9U~icom.microsoft.windows-m\#
    edia-wm|9V~icom.microsoft.windows-media-wma|9W~icom.microsoft.windows-media-wmp|9X~icom.microsoft.windows-media-\#
    wmv|9Y~icom.microsoft.windows-media-wmx|9Z~icom.microsoft.windows-media-wvx|9[~icom.microsoft.word.dictionary|@=\#
    ~icom.microsoft.word.doc|9\~icom.microsoft.word.dot|9]~icom.microsoft.word.wordml|9^~icom.microsoft.wtv|@>~icom.\#
    microsoft.xaml|@?~icom.monkeysaudio.ape|@@~icom.netscape.javascript-source|9_~icom.nikon.nrw-raw-image|9`~icom.n\#
    ikon.raw-image|9a~icom.nvidia.cuda|@A~icom.olympus.or-raw-image|9b~icom.olympus.raw-image|9c~icom.olympus.sr-raw\#
    -image|9d~icom.panasonic.raw-image|9e~icom.panasonic.rw2-raw-image|9f~icom.pentax.raw-image|9g~icom.phaseone.raw\#
    -image|9h~icom.pixar.universal-scene-description|9i~icom.pixar.universal-scene-description-mobile|9j~icom.pkware\#
    .zip-archive|9k~icom.rarlab.rar-archive|@B~icom.real.realaudio|9l~icom.real.realmedia|9m~icom.real.realmedia-vbr\#
    |9n~icom.real.smil|9o~icom.redhat.rpm-archive|@C~icom.roxio.disk-image-toast|:0~icom.rsa.pkcs-12|:1~icom.samsung\#
    .raw-image|:2~icom.scenarist.closed-caption|:3~icom.sgi.sgi-image|:4~icom.sony.arw-raw-image|:5~icom.sony.axr-ra\#
    w-image|:6~icom.sony.raw-image|:7~icom.sony.sr2-raw-image|:8~icom.sony.wave64|:9~icom.soundblaster.soundfont|::~\#
    icom.stuffit.archive.sidx|:;~icom.stuffit.archive.sit|:<~icom.stuffit.archive.sitx|:=~icom.sun.ear-archive|@D~ic\#
    om.sun.java-archive|:>~icom.sun.java-class|:?~icom.sun.java-properties|@E~icom.sun.java-server-pages|@F~icom.sun\#
    .java-source|:@~icom.sun.java-web-start|:A~icom.sun.web-application-archive|:B~icom.textpattern.textile|@G~icom.\#
    topografix.gpx|:C~icom.true-audio.tta|@H~icom.truevision.tga-image|:D~icom.wavpack.wv|@I~idev.dart.dart-script|@\#
    J~idev.nix.source|@K~idev.svelte.source|@L~igov.nih.nifti-1|:E~iinfo.haml.haml|@M~iio.iina.cue|@N~ijp.co.dvdfllc\#
    .vob|@O~inet.daringfireball.markdown|@P~inet.musepack.mpc|@Q~inet.poedit.mo|@R~inet.poedit.po|@S~inet.poedit.pot\#
    |@T~inet.poedit.qt|@U~inet.poedit.resx|@V~iorg.3gpp.adaptive-multi-rate-audio|:F~iorg.7-zip.7-zip-archive|:G~ior\#
    g.aafassociation.advanced-authoring-format|:H~iorg.archive.warc-archive|@W~iorg.asciidoc|@X~iorg.bazel.source|@Y\#
    ~iorg.beanshell.beanshell|@Z~iorg.bittorrent.torrent|@[~iorg.blenderfoundation.blender.file|@\~iorg.chromium.ext\#
    ension|@]~iorg.clojure|@^~iorg.codehaus.groovy-source|@_~iorg.coffeescript.coffeescript|@`~iorg.crystal-lang.sou\#
    rce|@a~iorg.debian.deb-archive|@b~iorg.dlang.d-source|@c~iorg.dragpipe.afm-font-metrics|@d~iorg.dragpipe.appimag\#
    e|@e~iorg.dragpipe.atom-feed|@f~iorg.dragpipe.bdf-font|@g~iorg.dragpipe.checksum-list|@h~iorg.dragpipe.desktop-e\#
    ntry|@i~iorg.dragpipe.docbook|@j~iorg.dragpipe.drop|@k~iorg.dragpipe.elf-core-dump|@l~iorg.dragpipe.elf-executab\#
    le|@m~iorg.dragpipe.elf-object|@n~iorg.dragpipe.elf-shared-library|@o~iorg.dragpipe.emacs-lisp-bytecode|A0~iorg.\#
    dragpipe.emacs-lisp-source|A1~iorg.dragpipe.embedded-opentype-font|A2~iorg.dragpipe.fictionbook|A3~iorg.dragpipe\#
    .fish-script|A4~iorg.dragpipe.flatpak|A5~iorg.dragpipe.flatpak-reference|A6~iorg.dragpipe.graphql-document|A7~io\#
    rg.dragpipe.kindle-ebook|A8~iorg.dragpipe.kodak-kdc-raw-image|A9~iorg.dragpipe.libtool-library|A:~iorg.dragpipe.\#
    linux-kernel-module|A;~iorg.dragpipe.llvm-bitcode|A<~iorg.dragpipe.lzip-archive|A=~iorg.dragpipe.lzop-archive|A>\#
    ~iorg.dragpipe.m4-source|A?~iorg.dragpipe.maven-pom|A@~iorg.dragpipe.mobipocket-ebook|AA~iorg.dragpipe.openpgp-k\#
    eys|AB~iorg.dragpipe.openpgp-message|AC~iorg.dragpipe.openpgp-signature|AD~iorg.dragpipe.org-mode-text|AE~iorg.d\#
    ragpipe.packet-capture|AF~iorg.dragpipe.pcf-font|AG~iorg.dragpipe.pkg-config|AH~iorg.dragpipe.python-stub|AI~ior\#
    g.dragpipe.python-wheel|AJ~iorg.dragpipe.qcow2-disk-image|AK~iorg.dragpipe.rdf-xml|AL~iorg.dragpipe.rpm-spec|AM~\#
    iorg.dragpipe.ruby-gem|AN~iorg.dragpipe.sass-source|AO~iorg.dragpipe.sigma-x3f-raw-image|AP~iorg.dragpipe.source\#
    -map|AQ~iorg.dragpipe.squashfs|AR~iorg.dragpipe.swift-module|AS~iorg.dragpipe.swift-module-interface|AT~iorg.dra\#
    gpipe.systemd-unit|AU~iorg.dragpipe.systemverilog-source|AV~iorg.dragpipe.tex-dvi|AW~iorg.dragpipe.texinfo-text|\#
    AX~iorg.dragpipe.time-zone-data|AY~iorg.dragpipe.troff-text|AZ~iorg.dragpipe.unix-archive|A[~iorg.dragpipe.vala-\#
    source|A\~iorg.dragpipe.vdi-disk-image|A]~iorg.dragpipe.vmdk-disk-image|A^~iorg.dragpipe.webassembly-module|A_~i\#
    org.dragpipe.x-cursor|A`~iorg.dragpipe.xpm-image|Aa~iorg.dragpipe.zig-source|Ab~iorg.erlang.erlang|Ac~iorg.fshar\#
    p.f-sharp|Ad~iorg.fsharp.f-sharp-project|Ae~iorg.gimp.xcf|Af~iorg.gnu.gnu-tar-archive|:I~iorg.gnu.gnu-zip-archiv\#
    e|:J~iorg.gnu.gnu-zip-tar-archive|:K~iorg.golang.go-script|Ag~iorg.gradle.source|Ah~iorg.haskell.haskell-script|\#
    Ai~iorg.idpf.epub-container|:L~iorg.ietf.ldap-data-interchange-format|Aj~iorg.ietf.mhtml|:M~iorg.iso.sql|Ak~iorg\#
    .json5.json5|Al~iorg.jsonlines.jsonl|Am~iorg.julia.julia-script|An~iorg.jupyter.ipynb|Ao~iorg.khronos.astc|:N~io\#
    rg.khronos.collada.digital-asset-exchange|:O~iorg.khronos.glb|:P~iorg.khronos.glsl-source|:Q~iorg.khronos.glsl.f\#
    ragment-shader|:R~iorg.khronos.glsl.geometry-shader|:S~iorg.khronos.glsl.vertex-shader|:T~iorg.khronos.gltf|:U~i\#
    org.khronos.ktx|:V~iorg.kotlinlang.source|B0~iorg.lesscss.less|B1~iorg.lua.lua-source|B2~iorg.matroska.mka|B3~io\#
    rg.matroska.mkv|B4~iorg.mediawiki.wiki-source|B5~iorg.nema.dicom|:W~iorg.nodejs.cjs|B6~iorg.oasis-open.opendocum\#
    ent|:X~iorg.oasis-open.opendocument.chart|:Y~iorg.oasis-open.opendocument.chart-template|:Z~iorg.oasis-open.open\#
    document.database|:[~iorg.oasis-open.opendocument.formula|:\~iorg.oasis-open.opendocument.formula-template|:]~io\#
    rg.oasis-open.opendocument.graphics|:^~iorg.oasis-open.opendocument.graphics-template|:_~iorg.oasis-open.opendoc\#
    ument.image|:`~iorg.oasis-open.opendocument.image-template|:a~iorg.oasis-open.opendocument.presentation|:b~iorg.\#
    oasis-open.opendocument.presentation-template|:c~iorg.oasis-open.opendocument.spreadsheet|:d~iorg.oasis-open.ope\#
    ndocument.spreadsheet-template|:e~iorg.oasis-open.opendocument.text|:f~iorg.oasis-open.opendocument.text-master|\#
    :g~iorg.oasis-open.opendocument.text-template|:h~iorg.oasis-open.opendocument.text-web|:i~iorg.oasis-open.xliff|\#
    :j~iorg.ocaml.ocaml|B7~iorg.openoffice.formula|:k~iorg.openoffice.graphics|:l~iorg.openoffice.graphics-template|\#
    :m~iorg.openoffice.presentation|:n~iorg.openoffice.presentation-template|:o~iorg.openoffice.spreadsheet|;0~iorg.\#
    openoffice.spreadsheet-template|;1~iorg.openoffice.text|;2~iorg.openoffice.text-master|;3~iorg.openoffice.text-t\#
    emplate|;4~iorg.openxmlformats.openxml|;5~iorg.openxmlformats.presentationml.presentation|;6~iorg.openxmlformats\#
    .presentationml.presentation.macroenabled|;7~iorg.openxmlformats.presentationml.slideshow|;8~iorg.openxmlformats\#
    .presentationml.slideshow.macroenabled|;9~iorg.openxmlformats.presentationml.template|;:~iorg.openxmlformats.pre\#
    sentationml.template.macroenabled|;;~iorg.openxmlformats.spreadsheetml.sheet|;<~iorg.openxmlformats.spreadsheetm\#
    l.sheet.macroenabled|;=~iorg.openxmlformats.spreadsheetml.template|;>~iorg.openxmlformats.spreadsheetml.template\#
    .macroenabled|;?~iorg.openxmlformats.wordprocessingml.document|;@~iorg.openxmlformats.wordprocessingml.document.\#
    macroenabled|;A~iorg.openxmlformats.wordprocessingml.template|;B~iorg.openxmlformats.wordprocessingml.template.m\#
    acroenabled|;C~iorg.opml.opml|B8~iorg.python.restructuredtext|B9~iorg.r-project.r|B:~iorg.racket-lang.source|B;~\#
    iorg.rubygems.gemspec|B<~iorg.sbarex.nim|B=~iorg.scala-lang.scala-source|B>~iorg.smpte.mxf|;D~iorg.soliditylang.\#
    source|B?~iorg.sqlite.sqlite3|B@~iorg.swig.swig|BA~iorg.tug.tex|BB~iorg.tug.tex.bibtex|BC~iorg.tukaani.lzma-arch\#
    ive|BD~iorg.tukaani.tar-xz-archive|;E~iorg.tukaani.xz-archive|;F~iorg.videolan.ass|BE~iorg.videolan.srt|BF~iorg.\#
    videolan.ssa|BG~iorg.videolan.sub|BH~iorg.vim.vim-script|BI~iorg.w3.webvtt|;G~iorg.w3.woff|BJ~iorg.w3.woff2|BK~i\#
    org.w3.wsdl|BL~iorg.w3.xml-dtd|BM~iorg.w3.xsl|BN~iorg.webmproject.webm|;H~iorg.webmproject.webp|;I~iorg.xiph.fla\#
    c|;J~iorg.xiph.ogg-audio|;K~iorg.xiph.ogv|;L~iorg.xiph.opus|BO~iorg.xsd.schema|BP~ipublic.3d-content|;M~ipublic.\#
    3gpp|;N~ipublic.3gpp2|;O~ipublic.aac-audio|;P~ipublic.ac3-audio|;Q~ipublic.ada-source|;R~ipublic.aifc-audio|;S~i\#
    public.aiff-audio|;T~ipublic.alembic|;U~ipublic.app-category|;V~ipublic.app-category.action-games|;W~ipublic.app\#
    -category.adventure-games|;X~ipublic.app-category.arcade-games|;Y~ipublic.app-category.board-games|;Z~ipublic.ap\#
    p-category.bookmarks|;[~ipublic.app-category.books|;\~ipublic.app-category.business|;]~ipublic.app-category.card\#
    -games|;^~ipublic.app-category.casino-games|;_~ipublic.app-category.developer-tools|;`~ipublic.app-category.dice\#
    -games|;a~ipublic.app-category.education|;b~ipublic.app-category.educational-games|;c~ipublic.app-category.enter\#
    tainment|;d~ipublic.app-category.family-games|;e~ipublic.app-category.finance|;f~ipublic.app-category.food-and-d\#
    rink|;g~ipublic.app-category.games|;h~ipublic.app-category.graphics-design|;i~ipublic.app-category.healthcare-fi\#
    tness|;j~ipublic.app-category.kids-games|;k~ipublic.app-category.lifestyle|;l~ipublic.app-category.magazines-and\#
    -newspapers|;m~ipublic.app-category.medical|;n~ipublic.app-category.music|;o~ipublic.app-category.music-games|<0\#
    ~ipublic.app-category.navigation|<1~ipublic.app-category.news|<2~ipublic.app-category.photography|<3~ipublic.app\#
    -category.photography-and-video|<4~ipublic.app-category.productivity|<5~ipublic.app-category.puzzle-games|<6~ipu\#
    blic.app-category.racing-games|<7~ipublic.app-category.reference|<8~ipublic.app-category.role-playing-games|<9~i\#
    public.app-category.shopping|<:~ipublic.app-category.simulation-games|<;~ipublic.app-category.social-networking|\#
    <<~ipublic.app-category.sports|<=~ipublic.app-category.sports-games|<>~ipublic.app-category.strategy-games|<?~ip\#
    ublic.app-category.travel|<@~ipublic.app-category.trivia-games|<A~ipublic.app-category.utilities|<B~ipublic.app-\#
    category.video|<C~ipublic.app-category.weather|<D~ipublic.app-category.word-games|<E~ipublic.archive|<F~ipublic.\#
    archive.lha|BQ~ipublic.assembly-source|<G~ipublic.au-audio|<H~ipublic.audio|<I~ipublic.audiovisual-content|<J~ip\#
    ublic.audiovisual-content-collection|<K~ipublic.avchd-collection|<L~ipublic.avchd-mpeg-2-transport-stream|<M~ipu\#
    blic.avci|<N~ipublic.avcs|<O~ipublic.avi|<P~ipublic.avif|<Q~ipublic.bash-script|<R~ipublic.block-special|<S~ipub\#
    lic.bookmark|<T~ipublic.bzip2-archive|<U~ipublic.c-header|<V~ipublic.c-plus-plus-header|<W~ipublic.c-plus-plus-i\#
    nline-header|<X~ipublic.c-plus-plus-source|<Y~ipublic.c-plus-plus-source.preprocessed|<Z~ipublic.c-source|<[~ipu\#
    blic.c-source.preprocessed|<\~ipublic.calendar-event|<]~ipublic.camera-raw-image|<^~ipublic.case-insensitive-tex\#
    t|<_~ipublic.cbr-archive|BR~ipublic.cbz-archive|BS~ipublic.cd-based-media|<`~ipublic.cd-media|<a~ipublic.cd-r-me\#
    dia|<b~ipublic.cd-rw-media|<c~ipublic.cdda-audio|<d~ipublic.character-special|<e~ipublic.comma-separated-values-\#
    text|<f~ipublic.composite-content|<g~ipublic.computer|<h~ipublic.contact|<i~ipublic.content|<j~ipublic.cpio-arch\#
    ive|<k~ipublic.csh-script|<l~ipublic.css|<m~ipublic.data|<n~ipublic.database|<o~ipublic.delimited-values-text|=0\#
    ~ipublic.device|=1~ipublic.directory|=2~ipublic.disk-image|=3~ipublic.display|=4~ipublic.downloadable-sound|=5~i\#
    public.dv-movie|=6~ipublic.dvd-based-media|=7~ipublic.dvd-media|=8~ipublic.dvd-plus-r-media|=9~ipublic.dvd-plus-\#
    rw-media|=:~ipublic.dvd-r-media|=;~ipublic.dvd-ram-media|=<~ipublic.dvd-rw-media|==~ipublic.dylan-source|=>~ipub\#
    lic.elf-binary|=?~ipublic.email-message|=@~ipublic.enhanced-ac3-audio|=A~ipublic.executable|=B~ipublic.fax|=C~ip\#
    ublic.file-sharepoint|=D~ipublic.file-url|=E~ipublic.filename-extension|=F~ipublic.flc-animation|=G~ipublic.fold\#
    er|=H~ipublic.font|=I~ipublic.fortran-77-source|=J~ipublic.fortran-90-source|=K~ipublic.fortran-95-source|=L~ipu\#
    blic.fortran-source|=M~ipublic.generic-pc|=N~ipublic.geojson|=O~ipublic.geometry-definition-format|=P~ipublic.ha\#
    ptics-content|=Q~ipublic.hd-dvd-based-media|=R~ipublic.hd-dvd-media|=S~ipublic.hd-dvd-r-media|=T~ipublic.hd-dvd-\#
    ram-media|=U~ipublic.hd-dvd-rw-media|=V~ipublic.heic|=W~ipublic.heics|=X~ipublic.heif|=Y~ipublic.heif-standard|=\#
    Z~ipublic.heifs|=[~ipublic.html|=\~ipublic.image|=]~ipublic.iso-image|=^~ipublic.item|=_~ipublic.jpeg|=`~ipublic\#
    .jpeg-2000|=a~ipublic.jpeg-xl|=b~ipublic.json|=c~ipublic.ksh-script|=d~ipublic.lex-source|=e~ipublic.log|=f~ipub\#
    lic.lz4-archive|BT~ipublic.m3u-playlist|=g~ipublic.make-source|=h~ipublic.message|=i~ipublic.midi-audio|=j~ipubl\#
    ic.mig-source|=k~ipublic.mime-type|=l~ipublic.module-map|=m~ipublic.movie|=n~ipublic.mp2|=o~ipublic.mp3|>0~ipubl\#
    ic.mp4a-latm|>1~ipublic.mp4a-loas|>2~ipublic.mpeg|>3~ipublic.mpeg-2-transport-stream|>4~ipublic.mpeg-2-video|>5~\#
    ipublic.mpeg-4|>6~ipublic.mpeg-4-audio|>7~ipublic.mpo-image|>8~ipublic.named-pipe|>9~ipublic.nasm-assembly-sourc\#
    e|>:~ipublic.ndjson|>;~ipublic.object-code|><~ipublic.objective-c-plus-plus-source|>=~ipublic.objective-c-plus-p\#
    lus-source.preprocessed|>>~ipublic.objective-c-source|>?~ipublic.objective-c-source.preprocessed|>@~ipublic.ofd|\#
    >A~ipublic.opencl-source|>B~ipublic.opentype-collection-font|>C~ipublic.opentype-font|>D~ipublic.optical-storage\#
    -media|>E~ipublic.pascal-source|>F~ipublic.patch-file|>G~ipublic.pbm|>H~ipublic.perl-script|>I~ipublic.php-scrip\#
    t|>J~ipublic.plain-text|>K~ipublic.playlist|>L~ipublic.pls-playlist|>M~ipublic.png|>N~ipublic.polygon-file-forma\#
    t|>O~ipublic.precompiled-c-header|>P~ipublic.precompiled-c-plus-plus-header|>Q~ipublic.presentation|>R~ipublic.p\#
    rotobuf-source|>S~ipublic.pvr|>T~ipublic.python-bytecode|>U~ipublic.python-script|>V~ipublic.radiance|>W~ipublic\#
    .rss|>X~ipublic.rtf|>Y~ipublic.ruby-script|>Z~ipublic.rust-source|>[~ipublic.script|>\~ipublic.shell-script|>]~i\#
    public.socket|>^~ipublic.source-code|>_~ipublic.source-code.preprocessed|>`~ipublic.speaker|>a~ipublic.spreadshe\#
    et|>b~ipublic.standard-tesselated-geometry-format|>c~ipublic.storage|>d~ipublic.stored-url|>e~ipublic.svg-image|\#
    >f~ipublic.swift-source|>g~ipublic.symlink|>h~ipublic.tab-separated-values-text|>i~ipublic.tar-archive|>j~ipubli\#
    c.tar-bzip2-archive|>k~ipublic.tcsh-script|>l~ipublic.text|>m~ipublic.tiff|>n~ipublic.to-do-item|>o~ipublic.toml\#
    |BU~ipublic.truetype-collection-font|?0~ipublic.truetype-font|?1~ipublic.truetype-ttf-font|?2~ipublic.ulaw-audio\#
    |?3~ipublic.unix-executable|?4~ipublic.url|?5~ipublic.url-name|?6~ipublic.utf16-external-plain-text|?7~ipublic.u\#
    tf16-plain-text|?8~ipublic.utf8-plain-text|?9~ipublic.utf8-tab-separated-values-text|?:~ipublic.uuencoded-archiv\#
    e|?;~ipublic.vcard|?<~ipublic.video|?=~ipublic.volume|?>~ipublic.x509-certificate|??~ipublic.xbitmap-image|?@~ip\#
    ublic.xfd|?A~ipublic.xhtml|?B~ipublic.xml|?C~ipublic.yacc-source|?D~ipublic.yaml|?E~ipublic.z-archive|?F~ipublic\#
    .zip-archive|?G~ipublic.zsh-script|?H~itk.tcl.tcl|BV~ivnd.android.package-archive|?I~mapplication/atom+xml|@f~ma\#
    pplication/bat|?k~mapplication/binhex|0b~mapplication/bzip|<U~mapplication/bzip2|<U~mapplication/dicom|:W~mappli\#
    cation/docbook+xml|@j~mapplication/epub+zip|:L~mapplication/font-woff|BJ~mapplication/geo+json|=O~mapplication/g\#
    px|:C~mapplication/gpx+xml|:C~mapplication/graphql|A7~mapplication/gzip|:J~mapplication/java-archive|:>~mapplica\#
    tion/jnlp|:A~mapplication/json|=c~mapplication/json5|Al~mapplication/jsonl|Am~mapplication/lzip|A=~mapplication/\#
    mac-binhex|0b~mapplication/mac-binhex40|0b~mapplication/macbinary|56~mapplication/mbox|6d~mapplication/msexcel|9\#
    I9J9K~mapplication/mspowerpoint|9Q9O9P~mapplication/msword|9\9]~mapplication/mxf|;D~mapplication/octet-stream|<n\#
    41~mapplication/ofd|>A~mapplication/ogg|;K~mapplication/pdf|07~mapplication/pgp-encrypted|AC~mapplication/pgp-ke\#
    ys|AB~mapplication/pgp-signature|AD~mapplication/photoshop|08~mapplication/php|>J~mapplication/postscript|0:~map\#
    plication/rdf+xml|AL~mapplication/rss+xml|>X~mapplication/smil|9o~mapplication/source-map|AQ~mapplication/sql|Ak\#
    ~mapplication/tar|>j~mapplication/tga|:D~mapplication/toml|BU~mapplication/typescript|@9~mapplication/tzif|AY~ma\#
    pplication/vnd.adobe.flash.movie|?M~mapplication/vnd.adobe.indesign-idml-package|?K~mapplication/vnd.amazon.eboo\#
    k|A8~mapplication/vnd.amazon.mobi8-ebook|A8~mapplication/vnd.android.package-archive|?I~mapplication/vnd.appimag\#
    e|@e~mapplication/vnd.apple.mpegurl|=g~mapplication/vnd.apple.pkpass|7>~mapplication/vnd.apple.pkpasses|7@~mappl\#
    ication/vnd.coffeescript|@`~mapplication/vnd.comicbook+zip|BS~mapplication/vnd.comicbook-rar|BR~mapplication/vnd\#
    .dart|@J~mapplication/vnd.debian.binary-package|@b~mapplication/vnd.dragpipe.drop|@k~mapplication/vnd.efi.img|1B\#
    ~mapplication/vnd.efi.iso|=^~mapplication/vnd.flatpak|A5~mapplication/vnd.flatpak.ref|A6~mapplication/vnd.flatpa\#
    k.repo|A6~mapplication/vnd.fpx|9;~mapplication/vnd.google-earth.kml+xml|?e~mapplication/vnd.google-earth.kmz|?f~\#
    mapplication/vnd.ms-excel|9I9J9K~mapplication/vnd.ms-excel.addin.macroenabled.12|?o~mapplication/vnd.ms-excel.sh\#
    eet.binary.macroenabled.12|9G~mapplication/vnd.ms-excel.sheet.macroenabled.12|;=~mapplication/vnd.ms-excel.templ\#
    ate.macroenabled.12|;?~mapplication/vnd.ms-fontobject|A2~mapplication/vnd.ms-htmlhelp|?n~mapplication/vnd.ms-off\#
    icetheme|@4~mapplication/vnd.ms-powerpoint|9Q9O9P~mapplication/vnd.ms-powerpoint.addin.macroenabled.12|@6~mappli\#
    cation/vnd.ms-powerpoint.presentation.macroenabled.12|;7~mapplication/vnd.ms-powerpoint.slideshow.macroenabled.1\#
    2|;9~mapplication/vnd.ms-powerpoint.template.macroenabled.12|;;~mapplication/vnd.ms-visio.drawing.main+xml|@;~ma\#
    pplication/vnd.ms-word.document.macroenabled.12|;A~mapplication/vnd.ms-word.template.macroenabled.12|;C~mapplica\#
    tion/vnd.oasis.opendocument.chart|:Y~mapplication/vnd.oasis.opendocument.chart-template|:Z~mapplication/vnd.oasi\#
    s.opendocument.database|:[~mapplication/vnd.oasis.opendocument.formula|:\~mapplication/vnd.oasis.opendocument.fo\#
    rmula-template|:]~mapplication/vnd.oasis.opendocument.graphics|:^~mapplication/vnd.oasis.opendocument.graphics-t\#
    emplate|:_~mapplication/vnd.oasis.opendocument.image|:`~mapplication/vnd.oasis.opendocument.image-template|:a~ma\#
    pplication/vnd.oasis.opendocument.presentation|:b~mapplication/vnd.oasis.opendocument.presentation-template|:c~m\#
    application/vnd.oasis.opendocument.spreadsheet|:d~mapplication/vnd.oasis.opendocument.spreadsheet-template|:e~ma\#
    pplication/vnd.oasis.opendocument.text|:f~mapplication/vnd.oasis.opendocument.text-master|:g~mapplication/vnd.oa\#
    sis.opendocument.text-template|:h~mapplication/vnd.oasis.opendocument.text-web|:i~mapplication/vnd.openxmlformat\#
    s-officedocument.presentationml.presentation|;6~mapplication/vnd.openxmlformats-officedocument.presentationml.sl\#
    ideshow|;8~mapplication/vnd.openxmlformats-officedocument.presentationml.template|;:~mapplication/vnd.openxmlfor\#
    mats-officedocument.spreadsheetml.sheet|;<~mapplication/vnd.openxmlformats-officedocument.spreadsheetml.template\#
    |;>~mapplication/vnd.openxmlformats-officedocument.wordprocessingml.document|;@~mapplication/vnd.openxmlformats-\#
    officedocument.wordprocessingml.template|;B~mapplication/vnd.rar|@B~mapplication/vnd.rn-realmedia|9m~mapplicatio\#
    n/vnd.rn-realmedia-vbr|9n~mapplication/vnd.snap|AR~mapplication/vnd.sqlite3|B@~mapplication/vnd.squashfs|AR~mapp\#
    lication/vnd.stardivision.calc|;0~mapplication/vnd.stardivision.draw|:l~mapplication/vnd.stardivision.impress|:n\#
    ~mapplication/vnd.stardivision.impress-packed|:n~mapplication/vnd.stardivision.math|:k~mapplication/vnd.stardivi\#
    sion.writer|;2~mapplication/vnd.sun.xml.calc|;0~mapplication/vnd.sun.xml.calc.template|;1~mapplication/vnd.sun.x\#
    ml.draw|:l~mapplication/vnd.sun.xml.draw.template|:m~mapplication/vnd.sun.xml.impress|:n~mapplication/vnd.sun.xm\#
    l.impress.template|:o~mapplication/vnd.sun.xml.math|:k~mapplication/vnd.sun.xml.writer|;2~mapplication/vnd.sun.x\#
    ml.writer.global|;3~mapplication/vnd.sun.xml.writer.template|;4~mapplication/vnd.tcpdump.pcap|AF~mapplication/vn\#
    d.visio|@:~mapplication/vnd.xdgapp|A5~mapplication/warc|@W~mapplication/wasm|A_~mapplication/wsdl+xml|BL~mapplic\#
    ation/x-7z-compressed|:G~mapplication/x-apple-aspen-config|6i~mapplication/x-apple-aspen-mobileprovision|6j~mapp\#
    lication/x-apple-diskimage|1E~mapplication/x-archive|A[~mapplication/x-asp|?i~mapplication/x-awk|?[~mapplication\#
    /x-bat|?k~mapplication/x-bittorrent|@[~mapplication/x-blender|@\~mapplication/x-bz2|<U~mapplication/x-bzip|<U~ma\#
    pplication/x-bzip2|<U~mapplication/x-cd-image|=^~mapplication/x-chrome-extension|@]~mapplication/x-compress|?F~m\#
    application/x-core|@l~mapplication/x-cue|@N~mapplication/x-deb|@b~mapplication/x-debian-package|@b~mapplication/\#
    x-desktop|@i~mapplication/x-docbook+xml|@j~mapplication/x-dvi|AW~mapplication/x-elc|A0~mapplication/x-executable\#
    |@m~mapplication/x-fictionbook+xml|A3~mapplication/x-fishscript|A4~mapplication/x-font-afm|@d~mapplication/x-fon\#
    t-bdf|@g~mapplication/x-font-pcf|AG~mapplication/x-gettext|@S~mapplication/x-gettext-translation|@R~mapplication\#
    /x-gtar|:I~mapplication/x-gzip|:J~mapplication/x-ipynb+json|Ao~mapplication/x-iso9660-appimage|@e~mapplication/x\#
    -iso9660-image|=^~mapplication/x-iwork-keynote-sffkey|2?~mapplication/x-iwork-keynote-sffkth|2@~mapplication/x-i\#
    work-numbers-sffnumbers|2C~mapplication/x-iwork-numbers-sfftemplate|2D~mapplication/x-iwork-pages-sffpages|2H~ma\#
    pplication/x-iwork-pages-sfftemplate|2I~mapplication/x-java-jnlp-file|:A~mapplication/x-jsp|@F~mapplication/x-lh\#
    a|BQ~mapplication/x-linguist|@U~mapplication/x-lz4|BT~mapplication/x-lzip|A=~mapplication/x-lzma|BD~mapplication\#
    /x-lzop|A>~mapplication/x-m4|A?~mapplication/x-macbinary|56~mapplication/x-mimearchive|:M~mapplication/x-mobipoc\#
    ket-ebook|AA~mapplication/x-msdownload|9T9S~mapplication/x-msi|@3~mapplication/x-ndjson|>;~mapplication/x-object\#
    |@n~mapplication/x-pie-executable|@m~mapplication/x-pkcs12|:1~mapplication/x-powershell|@7~mapplication/x-python\#
    -bytecode|>U~mapplication/x-qemu-disk|AK~mapplication/x-quartzcomposer|7X~mapplication/x-rar|@B~mapplication/x-r\#
    ar-compressed|@B~mapplication/x-raw-disk-image|1B~mapplication/x-redhat-package-manager|@C~mapplication/x-rpm|@C\#
    ~mapplication/x-shared-library-la|A:~mapplication/x-sharedlib|@o~mapplication/x-shockwave-flash|?M~mapplication/\#
    x-sit|:<~mapplication/x-sitx|:=~mapplication/x-sitx-index|:;~mapplication/x-sqlite3|B@~mapplication/x-stuffit|:<\#
    ~mapplication/x-stuffitx|:=~mapplication/x-stuffitx-index|:;~mapplication/x-subrip|BF~mapplication/x-tar|>j~mapp\#
    lication/x-tcl|BV~mapplication/x-tex|BB~mapplication/x-troff|AZ~mapplication/x-troff-man|AZ~mapplication/x-vdi-d\#
    isk|A]~mapplication/x-vmdk-disk|A^~mapplication/x-webarchive|8Q~mapplication/x-x509-ca-cert|??~mapplication/x-xl\#
    iff+xml|:j~mapplication/x-xz|;F~mapplication/x-yaml|?E~mapplication/x-zip-compressed|?G~mapplication/x-zstd-comp\#
    ressed-tar|?c~mapplication/xaml+xml|@?~mapplication/xhtml+xml|?B~mapplication/xliff+xml|:j~mapplication/xml|?C~m\#
    application/xml-dtd|BM~mapplication/xslt+xml|BN~mapplication/zip|?G~mapplication/zstd|?b~maudio/3gpp|;N~maudio/3\#
    gpp2|;O~maudio/aac|;P~maudio/ac3|;Q~maudio/aiff|;T;S~maudio/amr|:F~maudio/audible|4@8j~maudio/basic|<H~maudio/dl\#
    s|=5~maudio/eac3|=A~maudio/flac|;J~maudio/matroska|B3~maudio/midi|=j~maudio/mp3|>0~maudio/mp4|>7~maudio/mp4a-lat\#
    m|>7>1~maudio/mpeg|>0~maudio/mpeg3|>0~maudio/mpegurl|=g~maudio/mpg|>0~maudio/ogg|;K~maudio/opus|BO~maudio/vnd.au\#
    dible.aax|8k~maudio/vnd.rn-realaudio|9l~maudio/vnd.wave|9R~maudio/wav|9R~maudio/wave|9R~maudio/webm|;H~maudio/x-\#
    aac|;P~maudio/x-aiff|;T;S~maudio/x-ape|@@~maudio/x-audible|4@8j~maudio/x-m4a|50~maudio/x-m4r|6m~maudio/x-matrosk\#
    a|B3~maudio/x-midi|=j~maudio/x-mp3|>0~maudio/x-mpeg|>0~maudio/x-mpeg3|>0~maudio/x-mpegurl|=g~maudio/x-mpg|>0~mau\#
    dio/x-musepack|@Q~maudio/x-ogg|;K~maudio/x-opus+ogg|BO~maudio/x-pn-audibleaudio|4@8j~maudio/x-pn-realaudio|9l~ma\#
    udio/x-realaudio|9l~maudio/x-scpls|>M~maudio/x-speex+ogg|;K~maudio/x-tta|@H~maudio/x-vorbis+ogg|;K~maudio/x-wav|\#
    9R~maudio/x-wavpack|@I~mfont/otf|>D~mfont/ttf|?2~mfont/woff|BJ~mfont/woff2|BK~mimage/astc|:N~mimage/avci|<N~mima\#
    ge/avcs|<O~mimage/avif|<Q~mimage/bmp|9C~mimage/efax|99~mimage/fpx|9;~mimage/gif|90~mimage/heic|=W~mimage/heic-se\#
    quence|=X~mimage/heif|=Y~mimage/heif-sequence|=[~mimage/jp2|=a~mimage/jpeg|=`~mimage/jpg|=`~mimage/jxl|=b~mimage\#
    /ktx|:V~mimage/photoshop|08~mimage/pict|7<~mimage/png|>N~mimage/psd|08~mimage/sgi|:4~mimage/svg+xml|>f~mimage/ta\#
    rga|:D~mimage/tga|:D~mimage/tiff|>n~mimage/vnd.adobe.photoshop|08~mimage/vnd.djvu|?g~mimage/vnd.djvu+multipage|?\#
    g~mimage/vnd.microsoft.icon|9M~mimage/vnd.ms-dds|9F~mimage/vnd.radiance|>W~mimage/webp|;I~mimage/x-adobe-dng|0?~\#
    mimage/x-canon-cr2|8m~mimage/x-canon-cr3|8n~mimage/x-canon-crw|8o~mimage/x-dds|9F~mimage/x-djvu|?g~mimage/x-fuji\#
    -raf|94~mimage/x-hdr|>W~mimage/x-kodak-dcr|9<~mimage/x-kodak-kdc|A9~mimage/x-macpict|7<~mimage/x-minolta-mrw|9=~\#
    mimage/x-nikon-nef|9a~mimage/x-nikon-nrw|9`~mimage/x-olympus-orf|9c~mimage/x-panasonic-raw|9e~mimage/x-panasonic\#
    -raw2|9f~mimage/x-panasonic-rw|9e~mimage/x-panasonic-rw2|9f~mimage/x-pentax-pef|9g~mimage/x-photoshop|08~mimage/\#
    x-pict|7<~mimage/x-portable-anymap|>H~mimage/x-portable-bitmap|>H~mimage/x-portable-graymap|>H~mimage/x-portable\#
    -pixmap|>H~mimage/x-quicktime|7[~mimage/x-samsung-srw|:2~mimage/x-sigma-x3f|AP~mimage/x-sony-arw|:5~mimage/x-son\#
    y-sr2|:8~mimage/x-sony-srf|:7~mimage/x-win-bitmap|9E~mimage/x-xbitmap|?@~mimage/x-xcf|Af~mimage/x-xcursor|A`~mim\#
    age/x-xpixmap|Aa~mmessage/rfc822|6b~mmodel/gltf+json|:U~mmodel/gltf-binary|:P~mmodel/vnd.reality|7]~mmodel/vnd.u\#
    sdz+zip|9j~mtext/calendar|2M~mtext/comma-separated-values|<f~mtext/css|<m~mtext/csv|<f~mtext/directory|?<~mtext/\#
    html|=\~mtext/javascript|9_~mtext/markdown|@P~mtext/microsoft-resx|@V~mtext/org|AE~mtext/php|>J~mtext/plain|>K~m\#
    text/plain;charset=|?8~mtext/plain;charset="utf-8"|?9~mtext/plain;charset=utf-16|?8~mtext/plain;charset=utf-8|?9\#
    ~mtext/rtf|>Y~mtext/rust|>[~mtext/spreadsheet|@0~mtext/tab-separated-values|>i~mtext/tcl|BV~mtext/troff|AZ~mtext\#
    /vbscript|@<~mtext/vcard|?<~mtext/vnd.trolltech.linguist|@U~mtext/vtt|;G~mtext/x-bibtex|BC~mtext/x-clojure|@^~mt\#
    ext/x-cmake|?R~mtext/x-common-lisp|?\~mtext/x-crystal|@a~mtext/x-csharp|?l~mtext/x-dart|@J~mtext/x-dsrc|@c~mtext\#
    /x-elixir|?T~mtext/x-emacs-lisp|A1~mtext/x-erlang|Ac~mtext/x-gettext-translation|@S~mtext/x-gettext-translation-\#
    template|@T~mtext/x-go|Ag~mtext/x-groovy|@_~mtext/x-haskell|Ai~mtext/x-kotlin|B0~mtext/x-ldif|Aj~mtext/x-literat\#
    e-haskell|Ai~mtext/x-lua|B2~mtext/x-m4|A?~mtext/x-markdown|@P~mtext/x-microdvd|BH~mtext/x-nim|B=~mtext/x-ocaml|B\#
    7~mtext/x-opencl-src|>B~mtext/x-opml|B8~mtext/x-opml+xml|B8~mtext/x-perl-script|>I~mtext/x-php-script|>J~mtext/x\#
    -po|@S~mtext/x-pot|@T~mtext/x-python-script|>V~mtext/x-rpm-spec|AM~mtext/x-rst|B9~mtext/x-ruby-script|>Z~mtext/x\#
    -rust|>[~mtext/x-sass|AO~mtext/x-scala|B>~mtext/x-scheme|?]~mtext/x-scss|?P~mtext/x-sql|Ak~mtext/x-ssa|BG~mtext/\#
    x-svhdr|AV~mtext/x-svsrc|AV~mtext/x-systemd-unit|AU~mtext/x-tcl|BV~mtext/x-tex|BB~mtext/x-texinfo|AX~mtext/x-twi\#
    g|?Y~mtext/x-typescript|@9~mtext/x-uuencode|?;~mtext/x-vala|A\~mtext/x-vb|@<~mtext/x-vcalendar|2N~mtext/x-vcard|\#
    ?<~mtext/x-verilog|?^~mtext/x-vhdl|?_~mtext/x-zig|Ab~mtext/xml|?C~mvideo/3gpp|;N~mvideo/3gpp2|;O~mvideo/avi|<P~m\#
    video/flc|=G~mvideo/matroska|B4~mvideo/mp4|>6~mvideo/mp4v-es|>6~mvideo/mpeg|>3~mvideo/mpeg2|>5~mvideo/mpeg2-vide\#
    o|>5~mvideo/mpg|>3~mvideo/msvideo|<P~mvideo/ogg|;L~mvideo/quicktime|7\~mvideo/webm|;H~mvideo/x-dv|=6~mvideo/x-fl\#
    v|05~mvideo/x-m4v|51~mvideo/x-matroska|B4~mvideo/x-mpeg|>3~mvideo/x-mpg|>3~mvideo/x-ms-asf|9B~mvideo/x-ms-asx|9A\#
    ~mvideo/x-ms-wax|9U~mvideo/x-ms-wm|9V~mvideo/x-ms-wma|9W~mvideo/x-ms-wmp|9X~mvideo/x-ms-wmv|9Y~mvideo/x-ms-wmx|9\#
    Z~mvideo/x-ms-wvx|9[~mvideo/x-msvideo|<P~mvideo/x-ogm+ogg|;L~mvideo/x-theora+ogg|;L~o.SGI|:4~o.SMI|9o~o.WAV|9R~o\#
    3gp2|;O~o3gpp|;N~o8BPS|08~oAAF |:H~oAIFC|;S~oAIFF|;T~oAPPC|19~oAPPD|19~oAPPE|19~oAPPL|0X0Y~oASF_|9B~oASX_|9A~oAU\#
    DB|4@~oAUDX|4@~oBMP |9C~oBMPf|9C~oBNDL|1j~oCDEV|19~oDICM|:W~oEPSF|02~oFFIL|1e~oFLI |=G~oFMWK|1f~oGIFf|90~oHTML|=\#
    \~oJPEG|=`~oLWFN|0<~oM4A |50~oM4B |7S~oM4P |7S~oM4R |6m~oM4V |51~oMINC|00~oMP3 |>0~oMP3!|>0~oMP4 |>6>7~oMPEG|>3~\#
    oMPG |>3~oMPG3|>0~oMidi|=j~oMooV|7\~oMp3 |>0~oNII1|:E~oOMF |8l~oOTTO|>D~oPDF |07~oPICT|7<~oPNGf|>N~oPNRA|9l~oPNR\#
    M|9m~oPNTG|6[~oPPOT|9O~oPPSS|9P~oRTF |>Y~oSIDX|:;~oSIT5|:<~oSITX|:=~oSLD8|9Q~oSMIL|9o~oSd2f|91~oTEXT|8@~oTIFF|>n\#
    ~oTPIC|:D~oULAW|?3~oVfW |<P~oVfw |<P~oW8BN|9\~oW8TN|9]~oWAVE|9R~oXLA5|9H~oXLS8|9I~oXLW8|9K~oaac |;P~oac-3|;Q~oal\#
    is|0P~oamr |:F~oappe|19~oapps|0[~obfld|1]~ocaff|12~ocdda|;S~ocddr|<a~ocdev|19~oclpp|1_~oclpt|1c~ocshm|<b~odbox|1\#
    O~odfil|19~odfon|8C~odisk|?>~odist|3W~odvc!|=6~odvd |=8~odvdr|=;~odvdw|==~oec-3|=A~offil|1e~ofldr|=H~oflpy|80~of\#
    old|=H~ofurl|=E~ohdsk|7n~oicns|2P~oilaf|0E~oilfi|1Y~oilft|1g~oilge|1k~oilht|8P~oilma|6a~oilnw|70~oinkt|3V~ojp2 |\#
    =a~omp3!|>0~ompg3|>0~ompg4|>6>7~ompkg|3X~omymc|1K~onyrc|=<~oosas|0R~opkg1|3Y~oprof|10~oqtif|7[~ormov|7m~ortfd|1d\#
    ~osLS8|9J~osapp|7d~osdv |;N~osfld|1a~osfnt|1e~osvg |>f~osvgz|>f~otfil|1e~ottcf|?0~ottro|8@~otxtn|8D~ourl |?5~our\#
    ln|?6~out16|?7~outf8|?9~outxt|?8~ovCrd|?<~oweba|8Q~oƒlib|4h~pApple HTML pasteboard type|=\~pApple InkText paste\#
    board type|3V~pApple PDF pasteboard type|07~pApple PICT pasteboard type|7<~pApple PNG pasteboard type|>N~pApple \#
    VCard pasteboard type|?<~pApple Web Archive pasteboard type|8Q~pApple multiple text selection pasteboard type|0l\#
    ~pNSColor pasteboard type|0j~pNSFindPanel search options pasteboard type|0k~pNSPICTPboardType|7<~pNSPostScriptPb\#
    oardType|02~pNSRTFDPboardType|1d~pNSRTFPboardType|>Y~pNSSoundPboardType|0n~pNSStringPboardType|?9~pNSTIFFPboardT\#
    ype|>n~pNeXT Encapsulated PostScript v1.2 pasteboard type|02~pNeXT RTFD pasteboard type|1d~pNeXT Rich Text Forma\#
    t v1.0 pasteboard type|>Y~pNeXT TIFF v4.0 pasteboard type|>n~pNeXT font pasteboard type|0i~pNeXT ruler pasteboar\#
    d type|0m~pNeXT tabular text pasteboard type|?:~
    """#

  static let identifiers: [String] = [
    "ca.mcgill.mni.bic.mnc", "com.adobe.edn", "com.adobe.encapsulated-postscript", "com.adobe.etd", "com.adobe.fdf",
    "com.adobe.flash.video", "com.adobe.illustrator.ai-image", "com.adobe.pdf", "com.adobe.photoshop-image",
    "com.adobe.photoshop-large-image", "com.adobe.postscript", "com.adobe.postscript-font",
    "com.adobe.postscript-lwfn-font", "com.adobe.postscript-pfa-font", "com.adobe.postscript-pfb-font",
    "com.adobe.raw-image", "com.adobe.xfdf", "com.allume.stuffit-archive", "com.apple.SetupAssistant.internet-signup",
    "com.apple.accounts-icon", "com.apple.active-webpage", "com.apple.afp-internet-location", "com.apple.airdrop",
    "com.apple.airport", "com.apple.airport-express", "com.apple.airport-extreme-tower",
    "com.apple.airport-time-capsule-tower", "com.apple.alert", "com.apple.alert-caution", "com.apple.alert-note",
    "com.apple.alert-stop", "com.apple.alias-file", "com.apple.alias-record", "com.apple.apple-tv",
    "com.apple.applescript.script", "com.apple.applescript.script-bundle", "com.apple.applescript.text",
    "com.apple.applesingle-archive", "com.apple.application", "com.apple.application-and-system-extension",
    "com.apple.application-bundle", "com.apple.application-file", "com.apple.application-placeholder",
    "com.apple.applications-folder", "com.apple.archive", "com.apple.arobject", "com.apple.ascii-property-list",
    "com.apple.audio-unit-preset", "com.apple.automator-workflow", "com.apple.binary-property-list",
    "com.apple.binhex-archive", "com.apple.bom-archive", "com.apple.bom-compressed-cpio", "com.apple.bonjour",
    "com.apple.bookmark", "com.apple.bundle", "com.apple.cinema-display",
    "com.apple.cocoa.pasteboard.character-formatting", "com.apple.cocoa.pasteboard.color",
    "com.apple.cocoa.pasteboard.find-panel-search-options", "com.apple.cocoa.pasteboard.multiple-text-selection",
    "com.apple.cocoa.pasteboard.paragraph-formatting", "com.apple.cocoa.pasteboard.sound", "com.apple.color-file",
    "com.apple.colorsync-profile", "com.apple.configprofile", "com.apple.coreaudio-format",
    "com.apple.coreml.mlpackage", "com.apple.coreml.model", "com.apple.crashreport", "com.apple.csstore",
    "com.apple.dashboard-widget", "com.apple.data-container", "com.apple.deprecated-application-file",
    "com.apple.desktop-folder", "com.apple.developer-folder", "com.apple.developer-transition-kit-2005",
    "com.apple.developer-transition-kit-2020", "com.apple.device", "com.apple.device-model-code",
    "com.apple.disk-image", "com.apple.disk-image-cdr", "com.apple.disk-image-raw", "com.apple.disk-image-sparse",
    "com.apple.disk-image-sparse-bundle", "com.apple.disk-image-udif", "com.apple.disk-image-udif-segment",
    "com.apple.document-type", "com.apple.document-type.dictionary", "com.apple.document-type.system-folder",
    "com.apple.documents-folder", "com.apple.dot-mac", "com.apple.downloads-folder", "com.apple.drawing",
    "com.apple.driver-extension", "com.apple.drop-folder", "com.apple.dt.assetcatalog", "com.apple.dt.document.scheme",
    "com.apple.dt.document.workspace", "com.apple.dt.interfacebuilder.document.storyboard", "com.apple.dt.playground",
    "com.apple.dt.xctestplancontenttype", "com.apple.emac", "com.apple.encrypted-archive", "com.apple.everyone-icon",
    "com.apple.file-internet-location", "com.apple.file-server", "com.apple.file-system-plug-in",
    "com.apple.file-vault", "com.apple.finder.burn-folder", "com.apple.finder.clipping",
    "com.apple.finder.pictclipping", "com.apple.finder.recent-items", "com.apple.finder.smart-folder",
    "com.apple.finder.sound-clipping", "com.apple.finder.textclipping", "com.apple.flat-rtfd",
    "com.apple.font-suitcase", "com.apple.framework", "com.apple.ftp-internet-location", "com.apple.garageband.project",
    "com.apple.generic-airdisk", "com.apple.generic-bundle", "com.apple.generic-internet-location",
    "com.apple.generic-stationery", "com.apple.generic-time-machine-disk", "com.apple.gpuRestart",
    "com.apple.groupactivities.activity", "com.apple.groups-folder", "com.apple.guest-user", "com.apple.hangreport",
    "com.apple.haptics.ahap", "com.apple.help-document", "com.apple.home-folder", "com.apple.homebuttonless-ipad",
    "com.apple.homebuttonless-iphone", "com.apple.homepod", "com.apple.iCloud", "com.apple.iMovieLibrary",
    "com.apple.iMovieTheater", "com.apple.iWork.Keynote.key", "com.apple.iWork.Keynote.key-tef",
    "com.apple.iWork.Keynote.kth", "com.apple.iWork.Keynote.sffkey", "com.apple.iWork.Keynote.sffkth",
    "com.apple.iWork.Numbers.numbers", "com.apple.iWork.Numbers.numbers-tef", "com.apple.iWork.Numbers.sffnumbers",
    "com.apple.iWork.Numbers.sfftemplate", "com.apple.iWork.Numbers.template", "com.apple.iWork.Pages.pages",
    "com.apple.iWork.Pages.pages-tef", "com.apple.iWork.Pages.sffpages", "com.apple.iWork.Pages.sfftemplate",
    "com.apple.iWork.Pages.template", "com.apple.ibook-g4", "com.apple.ibooks", "com.apple.ical.ics",
    "com.apple.ical.vcs", "com.apple.icloud-file-fault", "com.apple.icns", "com.apple.icon-decoration",
    "com.apple.icon-decoration-position", "com.apple.icon-decoration-position.center",
    "com.apple.icon-decoration-position.leading-bottom", "com.apple.icon-decoration-position.overlay",
    "com.apple.icon-decoration-position.trailing-bottom", "com.apple.icon-decoration.badge",
    "com.apple.icon-decoration.badge.checkmark", "com.apple.icon-decoration.badge.comments",
    "com.apple.icon-decoration.badge.drop-folder", "com.apple.icon-decoration.badge.heart",
    "com.apple.icon-decoration.badge.in-review", "com.apple.icon-decoration.badge.locked",
    "com.apple.icon-decoration.badge.locked-by-collaborator", "com.apple.icon-decoration.badge.locked-by-user",
    "com.apple.icon-decoration.badge.pinned", "com.apple.icon-decoration.badge.private-folder",
    "com.apple.icon-decoration.badge.syncing", "com.apple.icon-decoration.badge.trending",
    "com.apple.icon-decoration.badge.warning", "com.apple.icon-decoration.emboss", "com.apple.icon-decoration.system",
    "com.apple.icon-decoration.system.alias", "com.apple.icon-decoration.system.caution-alert",
    "com.apple.icon-decoration.system.new-folder", "com.apple.icon-decoration.system.unsupported",
    "com.apple.icon-overlay.alert-caution-badge", "com.apple.icon-overlay.alias-badge",
    "com.apple.icon-overlay.drop-folder-badge", "com.apple.icon-overlay.locked-badge",
    "com.apple.icon-overlay.new-folder-badge", "com.apple.icon-overlay.private-folder",
    "com.apple.icon-overlay.private-folder-badge", "com.apple.icon-overlay.unsupported-badge", "com.apple.iconset",
    "com.apple.idisk", "com.apple.iig-source", "com.apple.imac", "com.apple.imac-15-1", "com.apple.imac-2021",
    "com.apple.imac-2021-blue", "com.apple.imac-2021-green", "com.apple.imac-2021-orange", "com.apple.imac-2021-purple",
    "com.apple.imac-2021-red", "com.apple.imac-2021-silver", "com.apple.imac-2021-yellow", "com.apple.imac-aluminum-20",
    "com.apple.imac-aluminum-24", "com.apple.imac-core-2-duo", "com.apple.imac-core-duo", "com.apple.imac-g4-15",
    "com.apple.imac-g4-17", "com.apple.imac-g4-20", "com.apple.imac-g5", "com.apple.imac-g5-isight",
    "com.apple.imac-iSight-24", "com.apple.imac-unibody", "com.apple.imac-unibody-21",
    "com.apple.imac-unibody-21-no-optical", "com.apple.imac-unibody-21-no-optical-2017",
    "com.apple.imac-unibody-21-no-optical-2019", "com.apple.imac-unibody-21-no-optical.mid-2015",
    "com.apple.imac-unibody-27-no-optical", "com.apple.imac-unibody-27-no-optical-2017",
    "com.apple.imac-unibody-27-no-optical-2019", "com.apple.imac-unibody-27-no-optical-2020",
    "com.apple.imac-unibody-27-no-optical-late-2015", "com.apple.imacpro-2017", "com.apple.ink.inktext",
    "com.apple.installer-distribution-package", "com.apple.installer-meta-package", "com.apple.installer-package",
    "com.apple.installer-package-archive", "com.apple.intelligentsuggestions.assets",
    "com.apple.interfacebuilder.document", "com.apple.interfacebuilder.document.cocoa", "com.apple.internet-location",
    "com.apple.ios-device", "com.apple.ios-simulator", "com.apple.ipad", "com.apple.iphone", "com.apple.iphone-3g",
    "com.apple.iphone-3gs", "com.apple.iphone-4", "com.apple.iphone-8", "com.apple.iphone-8-2", "com.apple.iphone-8-7",
    "com.apple.iphone-8-8", "com.apple.iphone-8-plus", "com.apple.iphone-8-plus-1", "com.apple.iphone-8-plus-2",
    "com.apple.iphone-8-plus-3", "com.apple.iphone-x", "com.apple.iphone-x-1", "com.apple.iphone-x-2",
    "com.apple.iphone.package-archive", "com.apple.ipod", "com.apple.ipod-classic", "com.apple.ipod-mini",
    "com.apple.ipod-nano", "com.apple.ipod-shuffle", "com.apple.ipod-shuffle-gen1", "com.apple.ipod-shuffle-gen2",
    "com.apple.ipod-shuffle-gen3", "com.apple.ipod-shuffle-gen4", "com.apple.ipod-touch", "com.apple.ipod-touch-2",
    "com.apple.ipod-touch-3", "com.apple.ipod-touch-4", "com.apple.ips", "com.apple.itunes.audible",
    "com.apple.itunes.ipsw", "com.apple.itunes.store-url", "com.apple.kernel-extension", "com.apple.keychain",
    "com.apple.keynote.key", "com.apple.keynote.kth", "com.apple.ktrace", "com.apple.led-cinema-display-24",
    "com.apple.led-cinema-display-27", "com.apple.legacy-ipod", "com.apple.legacy.actions-icon",
    "com.apple.legacy.backward-arrow", "com.apple.legacy.burn", "com.apple.legacy.clock-icon",
    "com.apple.legacy.connect-to", "com.apple.legacy.customize-toolbar", "com.apple.legacy.delete-toolbar",
    "com.apple.legacy.eject-media", "com.apple.legacy.erasing", "com.apple.legacy.favorite-items",
    "com.apple.legacy.finder-icon", "com.apple.legacy.forward-arrow", "com.apple.legacy.general-icon",
    "com.apple.legacy.grid", "com.apple.legacy.keep-arranged", "com.apple.legacy.locked",
    "com.apple.legacy.magnifying-glass", "com.apple.legacy.multiple-items", "com.apple.legacy.no-write",
    "com.apple.legacy.open-folder", "com.apple.legacy.question-mark", "com.apple.legacy.right-container-arrow",
    "com.apple.legacy.sidebar-prefs-icon", "com.apple.legacy.synchronize", "com.apple.legacy.toolbar-advanced-icon",
    "com.apple.legacy.toolbar-info-icon", "com.apple.legacy.toolbar-labels-icon", "com.apple.legacy.unlocked",
    "com.apple.legacy.window", "com.apple.library-folder", "com.apple.linkpresentation.metadata",
    "com.apple.live-photo", "com.apple.localizable-name-bundle", "com.apple.localized-pdf-bundle", "com.apple.log",
    "com.apple.logarchive", "com.apple.logicx.project", "com.apple.m4a-audio", "com.apple.m4v-video", "com.apple.mac",
    "com.apple.mac.laptop", "com.apple.mac.rackmount", "com.apple.mac.tower", "com.apple.macbinary-archive",
    "com.apple.macbook", "com.apple.macbook-black", "com.apple.macbook-retina", "com.apple.macbook-retina-gold",
    "com.apple.macbook-retina-gold-2017", "com.apple.macbook-retina-gold-2018", "com.apple.macbook-retina-rose-gold",
    "com.apple.macbook-retina-rose-gold-2017", "com.apple.macbook-retina-silver",
    "com.apple.macbook-retina-silver-2017", "com.apple.macbook-retina-space-gray",
    "com.apple.macbook-retina-space-gray-2017", "com.apple.macbook-unibody", "com.apple.macbook-unibody-plastic",
    "com.apple.macbook-white", "com.apple.macbookair", "com.apple.macbookair-11-unibody",
    "com.apple.macbookair-13-unibody", "com.apple.macbookair-2018", "com.apple.macbookair-2018-gold",
    "com.apple.macbookair-2018-silver", "com.apple.macbookair-2018-space-gray", "com.apple.macbookair-2019",
    "com.apple.macbookair-2019-gold", "com.apple.macbookair-2019-silver", "com.apple.macbookair-2019-space-gray",
    "com.apple.macbookair-2020", "com.apple.macbookair-2020-gold", "com.apple.macbookair-2020-silver",
    "com.apple.macbookair-2020-space-gray", "com.apple.macbookair-late-2020", "com.apple.macbookair-late-2020-gold",
    "com.apple.macbookair-late-2020-silver", "com.apple.macbookair-late-2020-space-gray", "com.apple.macbookpro",
    "com.apple.macbookpro-13-retina-display", "com.apple.macbookpro-13-retina-four-usb-ports-2020",
    "com.apple.macbookpro-13-retina-four-usb-ports-silver-2020",
    "com.apple.macbookpro-13-retina-four-usb-ports-space-gray-2020", "com.apple.macbookpro-13-retina-touchid",
    "com.apple.macbookpro-13-retina-touchid-2017", "com.apple.macbookpro-13-retina-touchid-2018",
    "com.apple.macbookpro-13-retina-touchid-2020", "com.apple.macbookpro-13-retina-touchid-late-2020",
    "com.apple.macbookpro-13-retina-touchid-silver", "com.apple.macbookpro-13-retina-touchid-silver-2017",
    "com.apple.macbookpro-13-retina-touchid-silver-2018", "com.apple.macbookpro-13-retina-touchid-silver-2020",
    "com.apple.macbookpro-13-retina-touchid-silver-late-2020", "com.apple.macbookpro-13-retina-touchid-space-gray",
    "com.apple.macbookpro-13-retina-touchid-space-gray-2017", "com.apple.macbookpro-13-retina-touchid-space-gray-2018",
    "com.apple.macbookpro-13-retina-touchid-space-gray-2020",
    "com.apple.macbookpro-13-retina-touchid-space-gray-late-2020", "com.apple.macbookpro-13-retina-usbc",
    "com.apple.macbookpro-13-retina-usbc-2017", "com.apple.macbookpro-13-retina-usbc-2019",
    "com.apple.macbookpro-13-retina-usbc-silver", "com.apple.macbookpro-13-retina-usbc-silver-2017",
    "com.apple.macbookpro-13-retina-usbc-silver-2019", "com.apple.macbookpro-13-retina-usbc-space-gray",
    "com.apple.macbookpro-13-retina-usbc-space-gray-2017", "com.apple.macbookpro-13-retina-usbc-space-gray-2019",
    "com.apple.macbookpro-13-unibody", "com.apple.macbookpro-15", "com.apple.macbookpro-15-late-2018",
    "com.apple.macbookpro-15-retina-display", "com.apple.macbookpro-15-retina-touchid",
    "com.apple.macbookpro-15-retina-touchid-2017", "com.apple.macbookpro-15-retina-touchid-2018",
    "com.apple.macbookpro-15-retina-touchid-silver", "com.apple.macbookpro-15-retina-touchid-silver-2017",
    "com.apple.macbookpro-15-retina-touchid-silver-2018", "com.apple.macbookpro-15-retina-touchid-space-gray",
    "com.apple.macbookpro-15-retina-touchid-space-gray-2017", "com.apple.macbookpro-15-retina-touchid-space-gray-2018",
    "com.apple.macbookpro-15-silver-late-2018", "com.apple.macbookpro-15-space-gray-late-2018",
    "com.apple.macbookpro-15-unibody", "com.apple.macbookpro-16", "com.apple.macbookpro-16-mid-2020",
    "com.apple.macbookpro-16-silver", "com.apple.macbookpro-16-silver-mid-2020", "com.apple.macbookpro-16-space-gray",
    "com.apple.macbookpro-16-space-gray-mid-2020", "com.apple.macbookpro-17", "com.apple.macbookpro-17-unibody",
    "com.apple.mach-o-binary", "com.apple.mach-o-bundle", "com.apple.mach-o-core", "com.apple.mach-o-dylib",
    "com.apple.mach-o-executable", "com.apple.mach-o-object", "com.apple.macmini", "com.apple.macmini-2018",
    "com.apple.macmini-2020", "com.apple.macmini-core-duo", "com.apple.macmini-g4", "com.apple.macmini-unibody",
    "com.apple.macmini-unibody-no-optical", "com.apple.macpaint-image", "com.apple.macpro", "com.apple.macpro-2019",
    "com.apple.macpro-2019-rackmount", "com.apple.macpro-cylinder", "com.apple.macpro-firewire",
    "com.apple.mail-internet-location", "com.apple.mail.email", "com.apple.mail.emlx", "com.apple.mail.mbox",
    "com.apple.mapkit.map-item", "com.apple.menu-extra", "com.apple.metadata-importer", "com.apple.metal",
    "com.apple.mobileconfig", "com.apple.mobileprovision", "com.apple.mount-point", "com.apple.movie-folder",
    "com.apple.mpeg-4-ringtone", "com.apple.music-folder", "com.apple.network-neighborhood",
    "com.apple.news-internet-location", "com.apple.not-loaded", "com.apple.notifications", "com.apple.nspboard-type",
    "com.apple.ostype", "com.apple.package", "com.apple.panicreport", "com.apple.pasteboard.promised-file-content-type",
    "com.apple.pasteboard.promised-file-url", "com.apple.pef-binary", "com.apple.photos.apple-adjustment-envelope",
    "com.apple.photos.library", "com.apple.pict", "com.apple.pictures-folder", "com.apple.pkpass",
    "com.apple.pkpass-data", "com.apple.pkpasses-data", "com.apple.plugin", "com.apple.pluginkit",
    "com.apple.powerbook", "com.apple.powerbook-g4-12", "com.apple.powerbook-g4-15", "com.apple.powerbook-g4-17",
    "com.apple.powerbook-g4-titanium", "com.apple.powermac", "com.apple.powermac-g4-mirrored-drive-doors",
    "com.apple.powermac-g4-quicksilver", "com.apple.powermac-g5", "com.apple.ppp-plug-in",
    "com.apple.private.live-photo-bundle", "com.apple.pro-display-xdr", "com.apple.profile-background-color",
    "com.apple.profile-font-and-color", "com.apple.profile-font-icon", "com.apple.property-list",
    "com.apple.protected-mpeg-4-audio", "com.apple.protected-mpeg-4-audio-b", "com.apple.protected-mpeg-4-video",
    "com.apple.provisionprofile", "com.apple.public-folder", "com.apple.quartz-composer-composition",
    "com.apple.quicklook-generator", "com.apple.quicktime-audio", "com.apple.quicktime-image",
    "com.apple.quicktime-movie", "com.apple.reality", "com.apple.resolvable", "com.apple.rez-source", "com.apple.rtfd",
    "com.apple.safari.download", "com.apple.scenekit.scene", "com.apple.scripting-definition",
    "com.apple.server-applications-folder", "com.apple.servers-folder", "com.apple.service-application",
    "com.apple.shazamcatalog", "com.apple.shazamsignature", "com.apple.shortcut", "com.apple.shutdownStall",
    "com.apple.sites-folder", "com.apple.spinreport", "com.apple.storage-external", "com.apple.storage-internal",
    "com.apple.storage-netboot", "com.apple.storage-removable", "com.apple.structured-text",
    "com.apple.structured-text.address", "com.apple.structured-text.date", "com.apple.structured-text.telephone-number",
    "com.apple.structured-text.transit-information", "com.apple.swiftpm", "com.apple.symbol-export",
    "com.apple.system-extension", "com.apple.systempreference.prefpane", "com.apple.systempreference.screen-saver",
    "com.apple.systempreference.screen-slide-saver", "com.apple.terminal.settings", "com.apple.terminal.shell-script",
    "com.apple.text-based-dylib", "com.apple.time-capsule", "com.apple.traditional-mac-plain-text",
    "com.apple.trash-empty", "com.apple.trash-full", "com.apple.truetype-datafork-suitcase-font",
    "com.apple.txn.text-multimedia-data", "com.apple.unknown-object", "com.apple.user", "com.apple.user-group",
    "com.apple.user-idisk", "com.apple.user-unknown", "com.apple.users-folder", "com.apple.utilities-folder",
    "com.apple.virtual-machine", "com.apple.vnc-internet-location", "com.apple.watch", "com.apple.watchface",
    "com.apple.web-internet-location", "com.apple.webarchive", "com.apple.webkit-plugin",
    "com.apple.x11-mach-o-executable", "com.apple.xar-archive", "com.apple.xcframework",
    "com.apple.xcode.app-privacy-property-list", "com.apple.xcode.archive", "com.apple.xcode.configsettings",
    "com.apple.xcode.dsym", "com.apple.xcode.entitlements-property-list", "com.apple.xcode.model",
    "com.apple.xcode.mom", "com.apple.xcode.project", "com.apple.xcode.projectdata",
    "com.apple.xcode.strings-dictionary", "com.apple.xcode.strings-text", "com.apple.xcode.xcstrings",
    "com.apple.xip-archive", "com.apple.xml-property-list", "com.apple.xpc-service", "com.apple.xserve",
    "com.apple.xserve-g4", "com.apple.xserve-g5", "com.apple.xserve-xeon", "com.audible.aa-audio",
    "com.audible.aa-audiobook", "com.audible.aax-audiobook", "com.avid.open-media-framework", "com.canon.cr2-raw-image",
    "com.canon.cr3-raw-image", "com.canon.crw-raw-image", "com.compuserve.gif", "com.digidesign.sd2-audio",
    "com.dxo.raw-image", "com.epson.raw-image", "com.fuji.raw-image", "com.gopro.gpr", "com.hasselblad.3fr-raw-image",
    "com.hasselblad.fff-raw-image", "com.ilm.openexr-image", "com.j2.efx-fax", "com.j2.jfx-fax",
    "com.kodak.flashpix-image", "com.kodak.raw-image", "com.konicaminolta.raw-image", "com.leafamerica.raw-image",
    "com.leica.raw-image", "com.leica.rwl-raw-image", "com.microsoft.advanced-stream-redirector",
    "com.microsoft.advanced-systems-format", "com.microsoft.bmp", "com.microsoft.cab", "com.microsoft.cur",
    "com.microsoft.dds", "com.microsoft.excel.sheet.binary.macroenabled", "com.microsoft.excel.xla",
    "com.microsoft.excel.xls", "com.microsoft.excel.xlt", "com.microsoft.excel.xlw", "com.microsoft.hlsl",
    "com.microsoft.ico", "com.microsoft.internet-shortcut", "com.microsoft.powerpoint.pot",
    "com.microsoft.powerpoint.pps", "com.microsoft.powerpoint.ppt", "com.microsoft.waveform-audio",
    "com.microsoft.windows-dynamic-link-library", "com.microsoft.windows-executable", "com.microsoft.windows-media-wax",
    "com.microsoft.windows-media-wm", "com.microsoft.windows-media-wma", "com.microsoft.windows-media-wmp",
    "com.microsoft.windows-media-wmv", "com.microsoft.windows-media-wmx", "com.microsoft.windows-media-wvx",
    "com.microsoft.word.doc", "com.microsoft.word.dot", "com.microsoft.word.wordml", "com.netscape.javascript-source",
    "com.nikon.nrw-raw-image", "com.nikon.raw-image", "com.olympus.or-raw-image", "com.olympus.raw-image",
    "com.olympus.sr-raw-image", "com.panasonic.raw-image", "com.panasonic.rw2-raw-image", "com.pentax.raw-image",
    "com.phaseone.raw-image", "com.pixar.universal-scene-description", "com.pixar.universal-scene-description-mobile",
    "com.pkware.zip-archive", "com.real.realaudio", "com.real.realmedia", "com.real.realmedia-vbr", "com.real.smil",
    "com.roxio.disk-image-toast", "com.rsa.pkcs-12", "com.samsung.raw-image", "com.scenarist.closed-caption",
    "com.sgi.sgi-image", "com.sony.arw-raw-image", "com.sony.axr-raw-image", "com.sony.raw-image",
    "com.sony.sr2-raw-image", "com.sony.wave64", "com.soundblaster.soundfont", "com.stuffit.archive.sidx",
    "com.stuffit.archive.sit", "com.stuffit.archive.sitx", "com.sun.java-archive", "com.sun.java-class",
    "com.sun.java-source", "com.sun.java-web-start", "com.sun.web-application-archive", "com.topografix.gpx",
    "com.truevision.tga-image", "gov.nih.nifti-1", "org.3gpp.adaptive-multi-rate-audio", "org.7-zip.7-zip-archive",
    "org.aafassociation.advanced-authoring-format", "org.gnu.gnu-tar-archive", "org.gnu.gnu-zip-archive",
    "org.gnu.gnu-zip-tar-archive", "org.idpf.epub-container", "org.ietf.mhtml", "org.khronos.astc",
    "org.khronos.collada.digital-asset-exchange", "org.khronos.glb", "org.khronos.glsl-source",
    "org.khronos.glsl.fragment-shader", "org.khronos.glsl.geometry-shader", "org.khronos.glsl.vertex-shader",
    "org.khronos.gltf", "org.khronos.ktx", "org.nema.dicom", "org.oasis-open.opendocument",
    "org.oasis-open.opendocument.chart", "org.oasis-open.opendocument.chart-template",
    "org.oasis-open.opendocument.database", "org.oasis-open.opendocument.formula",
    "org.oasis-open.opendocument.formula-template", "org.oasis-open.opendocument.graphics",
    "org.oasis-open.opendocument.graphics-template", "org.oasis-open.opendocument.image",
    "org.oasis-open.opendocument.image-template", "org.oasis-open.opendocument.presentation",
    "org.oasis-open.opendocument.presentation-template", "org.oasis-open.opendocument.spreadsheet",
    "org.oasis-open.opendocument.spreadsheet-template", "org.oasis-open.opendocument.text",
    "org.oasis-open.opendocument.text-master", "org.oasis-open.opendocument.text-template",
    "org.oasis-open.opendocument.text-web", "org.oasis-open.xliff", "org.openoffice.formula", "org.openoffice.graphics",
    "org.openoffice.graphics-template", "org.openoffice.presentation", "org.openoffice.presentation-template",
    "org.openoffice.spreadsheet", "org.openoffice.spreadsheet-template", "org.openoffice.text",
    "org.openoffice.text-master", "org.openoffice.text-template", "org.openxmlformats.openxml",
    "org.openxmlformats.presentationml.presentation", "org.openxmlformats.presentationml.presentation.macroenabled",
    "org.openxmlformats.presentationml.slideshow", "org.openxmlformats.presentationml.slideshow.macroenabled",
    "org.openxmlformats.presentationml.template", "org.openxmlformats.presentationml.template.macroenabled",
    "org.openxmlformats.spreadsheetml.sheet", "org.openxmlformats.spreadsheetml.sheet.macroenabled",
    "org.openxmlformats.spreadsheetml.template", "org.openxmlformats.spreadsheetml.template.macroenabled",
    "org.openxmlformats.wordprocessingml.document", "org.openxmlformats.wordprocessingml.document.macroenabled",
    "org.openxmlformats.wordprocessingml.template", "org.openxmlformats.wordprocessingml.template.macroenabled",
    "org.smpte.mxf", "org.tukaani.tar-xz-archive", "org.tukaani.xz-archive", "org.w3.webvtt", "org.webmproject.webm",
    "org.webmproject.webp", "org.xiph.flac", "org.xiph.ogg-audio", "org.xiph.ogv", "public.3d-content", "public.3gpp",
    "public.3gpp2", "public.aac-audio", "public.ac3-audio", "public.ada-source", "public.aifc-audio",
    "public.aiff-audio", "public.alembic", "public.app-category", "public.app-category.action-games",
    "public.app-category.adventure-games", "public.app-category.arcade-games", "public.app-category.board-games",
    "public.app-category.bookmarks", "public.app-category.books", "public.app-category.business",
    "public.app-category.card-games", "public.app-category.casino-games", "public.app-category.developer-tools",
    "public.app-category.dice-games", "public.app-category.education", "public.app-category.educational-games",
    "public.app-category.entertainment", "public.app-category.family-games", "public.app-category.finance",
    "public.app-category.food-and-drink", "public.app-category.games", "public.app-category.graphics-design",
    "public.app-category.healthcare-fitness", "public.app-category.kids-games", "public.app-category.lifestyle",
    "public.app-category.magazines-and-newspapers", "public.app-category.medical", "public.app-category.music",
    "public.app-category.music-games", "public.app-category.navigation", "public.app-category.news",
    "public.app-category.photography", "public.app-category.photography-and-video", "public.app-category.productivity",
    "public.app-category.puzzle-games", "public.app-category.racing-games", "public.app-category.reference",
    "public.app-category.role-playing-games", "public.app-category.shopping", "public.app-category.simulation-games",
    "public.app-category.social-networking", "public.app-category.sports", "public.app-category.sports-games",
    "public.app-category.strategy-games", "public.app-category.travel", "public.app-category.trivia-games",
    "public.app-category.utilities", "public.app-category.video", "public.app-category.weather",
    "public.app-category.word-games", "public.archive", "public.assembly-source", "public.au-audio", "public.audio",
    "public.audiovisual-content", "public.audiovisual-content-collection", "public.avchd-collection",
    "public.avchd-mpeg-2-transport-stream", "public.avci", "public.avcs", "public.avi", "public.avif",
    "public.bash-script", "public.block-special", "public.bookmark", "public.bzip2-archive", "public.c-header",
    "public.c-plus-plus-header", "public.c-plus-plus-inline-header", "public.c-plus-plus-source",
    "public.c-plus-plus-source.preprocessed", "public.c-source", "public.c-source.preprocessed",
    "public.calendar-event", "public.camera-raw-image", "public.case-insensitive-text", "public.cd-based-media",
    "public.cd-media", "public.cd-r-media", "public.cd-rw-media", "public.cdda-audio", "public.character-special",
    "public.comma-separated-values-text", "public.composite-content", "public.computer", "public.contact",
    "public.content", "public.cpio-archive", "public.csh-script", "public.css", "public.data", "public.database",
    "public.delimited-values-text", "public.device", "public.directory", "public.disk-image", "public.display",
    "public.downloadable-sound", "public.dv-movie", "public.dvd-based-media", "public.dvd-media",
    "public.dvd-plus-r-media", "public.dvd-plus-rw-media", "public.dvd-r-media", "public.dvd-ram-media",
    "public.dvd-rw-media", "public.dylan-source", "public.elf-binary", "public.email-message",
    "public.enhanced-ac3-audio", "public.executable", "public.fax", "public.file-sharepoint", "public.file-url",
    "public.filename-extension", "public.flc-animation", "public.folder", "public.font", "public.fortran-77-source",
    "public.fortran-90-source", "public.fortran-95-source", "public.fortran-source", "public.generic-pc",
    "public.geojson", "public.geometry-definition-format", "public.haptics-content", "public.hd-dvd-based-media",
    "public.hd-dvd-media", "public.hd-dvd-r-media", "public.hd-dvd-ram-media", "public.hd-dvd-rw-media", "public.heic",
    "public.heics", "public.heif", "public.heif-standard", "public.heifs", "public.html", "public.image",
    "public.iso-image", "public.item", "public.jpeg", "public.jpeg-2000", "public.jpeg-xl", "public.json",
    "public.ksh-script", "public.lex-source", "public.log", "public.m3u-playlist", "public.make-source",
    "public.message", "public.midi-audio", "public.mig-source", "public.mime-type", "public.module-map", "public.movie",
    "public.mp2", "public.mp3", "public.mp4a-latm", "public.mp4a-loas", "public.mpeg", "public.mpeg-2-transport-stream",
    "public.mpeg-2-video", "public.mpeg-4", "public.mpeg-4-audio", "public.mpo-image", "public.named-pipe",
    "public.nasm-assembly-source", "public.ndjson", "public.object-code", "public.objective-c-plus-plus-source",
    "public.objective-c-plus-plus-source.preprocessed", "public.objective-c-source",
    "public.objective-c-source.preprocessed", "public.ofd", "public.opencl-source", "public.opentype-collection-font",
    "public.opentype-font", "public.optical-storage-media", "public.pascal-source", "public.patch-file", "public.pbm",
    "public.perl-script", "public.php-script", "public.plain-text", "public.playlist", "public.pls-playlist",
    "public.png", "public.polygon-file-format", "public.precompiled-c-header", "public.precompiled-c-plus-plus-header",
    "public.presentation", "public.protobuf-source", "public.pvr", "public.python-bytecode", "public.python-script",
    "public.radiance", "public.rss", "public.rtf", "public.ruby-script", "public.rust-source", "public.script",
    "public.shell-script", "public.socket", "public.source-code", "public.source-code.preprocessed", "public.speaker",
    "public.spreadsheet", "public.standard-tesselated-geometry-format", "public.storage", "public.stored-url",
    "public.svg-image", "public.swift-source", "public.symlink", "public.tab-separated-values-text",
    "public.tar-archive", "public.tar-bzip2-archive", "public.tcsh-script", "public.text", "public.tiff",
    "public.to-do-item", "public.truetype-collection-font", "public.truetype-font", "public.truetype-ttf-font",
    "public.ulaw-audio", "public.unix-executable", "public.url", "public.url-name", "public.utf16-external-plain-text",
    "public.utf16-plain-text", "public.utf8-plain-text", "public.utf8-tab-separated-values-text",
    "public.uuencoded-archive", "public.vcard", "public.video", "public.volume", "public.x509-certificate",
    "public.xbitmap-image", "public.xfd", "public.xhtml", "public.xml", "public.yacc-source", "public.yaml",
    "public.z-archive", "public.zip-archive", "public.zsh-script", "vnd.android.package-archive",
    "com.adobe.indesign-document", "com.adobe.indesign-markup", "com.adobe.photoshop.brush",
    "com.adobe.shockwave-flash", "com.autodesk.fbx", "com.barebones.bbedit.erb-source",
    "com.barebones.bbedit.scss-source", "com.bps.arduino-source", "com.bps.cmake-source", "com.bps.conf",
    "com.bps.elixir-source", "com.bps.elm-source", "com.bps.javascript-xml", "com.bps.terraform-source",
    "com.bps.terraform-vars", "com.bps.twig-source", "com.bps.vuejs-source", "com.coteditor.awk", "com.coteditor.lisp",
    "com.coteditor.scheme", "com.coteditor.verilog", "com.coteditor.vhdl", "com.divx.divx", "com.docker.dockerfile",
    "com.facebook.zstandard-archive", "com.facebook.zstandard-tar-archive", "com.google.brotli-archive",
    "com.google.earth.kml", "com.google.earth.kmz", "com.lizardtech.djvu", "com.mamiya.raw-image", "com.microsoft.asp",
    "com.microsoft.asp.net", "com.microsoft.batch-file", "com.microsoft.c-sharp", "com.microsoft.c-sharp-project",
    "com.microsoft.chm-archive", "com.microsoft.excel.openxml.addin", "com.microsoft.excel.slk",
    "com.microsoft.excel.xll", "com.microsoft.ini", "com.microsoft.msi-installer", "com.microsoft.office.openxml.theme",
    "com.microsoft.powerpoint.ppa", "com.microsoft.powerpoint.ppam", "com.microsoft.powershell-script",
    "com.microsoft.solution", "com.microsoft.typescript", "com.microsoft.visio.legacyformats.visioml.document",
    "com.microsoft.visio.openxmlformats.visioml.document", "com.microsoft.visual-basic",
    "com.microsoft.word.dictionary", "com.microsoft.wtv", "com.microsoft.xaml", "com.monkeysaudio.ape",
    "com.nvidia.cuda", "com.rarlab.rar-archive", "com.redhat.rpm-archive", "com.sun.ear-archive",
    "com.sun.java-properties", "com.sun.java-server-pages", "com.textpattern.textile", "com.true-audio.tta",
    "com.wavpack.wv", "dev.dart.dart-script", "dev.nix.source", "dev.svelte.source", "info.haml.haml", "io.iina.cue",
    "jp.co.dvdfllc.vob", "net.daringfireball.markdown", "net.musepack.mpc", "net.poedit.mo", "net.poedit.po",
    "net.poedit.pot", "net.poedit.qt", "net.poedit.resx", "org.archive.warc-archive", "org.asciidoc",
    "org.bazel.source", "org.beanshell.beanshell", "org.bittorrent.torrent", "org.blenderfoundation.blender.file",
    "org.chromium.extension", "org.clojure", "org.codehaus.groovy-source", "org.coffeescript.coffeescript",
    "org.crystal-lang.source", "org.debian.deb-archive", "org.dlang.d-source", "org.dragpipe.afm-font-metrics",
    "org.dragpipe.appimage", "org.dragpipe.atom-feed", "org.dragpipe.bdf-font", "org.dragpipe.checksum-list",
    "org.dragpipe.desktop-entry", "org.dragpipe.docbook", "org.dragpipe.drop", "org.dragpipe.elf-core-dump",
    "org.dragpipe.elf-executable", "org.dragpipe.elf-object", "org.dragpipe.elf-shared-library",
    "org.dragpipe.emacs-lisp-bytecode", "org.dragpipe.emacs-lisp-source", "org.dragpipe.embedded-opentype-font",
    "org.dragpipe.fictionbook", "org.dragpipe.fish-script", "org.dragpipe.flatpak", "org.dragpipe.flatpak-reference",
    "org.dragpipe.graphql-document", "org.dragpipe.kindle-ebook", "org.dragpipe.kodak-kdc-raw-image",
    "org.dragpipe.libtool-library", "org.dragpipe.linux-kernel-module", "org.dragpipe.llvm-bitcode",
    "org.dragpipe.lzip-archive", "org.dragpipe.lzop-archive", "org.dragpipe.m4-source", "org.dragpipe.maven-pom",
    "org.dragpipe.mobipocket-ebook", "org.dragpipe.openpgp-keys", "org.dragpipe.openpgp-message",
    "org.dragpipe.openpgp-signature", "org.dragpipe.org-mode-text", "org.dragpipe.packet-capture",
    "org.dragpipe.pcf-font", "org.dragpipe.pkg-config", "org.dragpipe.python-stub", "org.dragpipe.python-wheel",
    "org.dragpipe.qcow2-disk-image", "org.dragpipe.rdf-xml", "org.dragpipe.rpm-spec", "org.dragpipe.ruby-gem",
    "org.dragpipe.sass-source", "org.dragpipe.sigma-x3f-raw-image", "org.dragpipe.source-map", "org.dragpipe.squashfs",
    "org.dragpipe.swift-module", "org.dragpipe.swift-module-interface", "org.dragpipe.systemd-unit",
    "org.dragpipe.systemverilog-source", "org.dragpipe.tex-dvi", "org.dragpipe.texinfo-text",
    "org.dragpipe.time-zone-data", "org.dragpipe.troff-text", "org.dragpipe.unix-archive", "org.dragpipe.vala-source",
    "org.dragpipe.vdi-disk-image", "org.dragpipe.vmdk-disk-image", "org.dragpipe.webassembly-module",
    "org.dragpipe.x-cursor", "org.dragpipe.xpm-image", "org.dragpipe.zig-source", "org.erlang.erlang",
    "org.fsharp.f-sharp", "org.fsharp.f-sharp-project", "org.gimp.xcf", "org.golang.go-script", "org.gradle.source",
    "org.haskell.haskell-script", "org.ietf.ldap-data-interchange-format", "org.iso.sql", "org.json5.json5",
    "org.jsonlines.jsonl", "org.julia.julia-script", "org.jupyter.ipynb", "org.kotlinlang.source", "org.lesscss.less",
    "org.lua.lua-source", "org.matroska.mka", "org.matroska.mkv", "org.mediawiki.wiki-source", "org.nodejs.cjs",
    "org.ocaml.ocaml", "org.opml.opml", "org.python.restructuredtext", "org.r-project.r", "org.racket-lang.source",
    "org.rubygems.gemspec", "org.sbarex.nim", "org.scala-lang.scala-source", "org.soliditylang.source",
    "org.sqlite.sqlite3", "org.swig.swig", "org.tug.tex", "org.tug.tex.bibtex", "org.tukaani.lzma-archive",
    "org.videolan.ass", "org.videolan.srt", "org.videolan.ssa", "org.videolan.sub", "org.vim.vim-script", "org.w3.woff",
    "org.w3.woff2", "org.w3.wsdl", "org.w3.xml-dtd", "org.w3.xsl", "org.xiph.opus", "org.xsd.schema",
    "public.archive.lha", "public.cbr-archive", "public.cbz-archive", "public.lz4-archive", "public.toml", "tk.tcl.tcl",
    "com.apple.homebuttonless-device",
  ]
}
