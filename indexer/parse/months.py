"""Month names to numbers, for dates written in words."""

from __future__ import annotations

# CLDR month names, wide and abbreviated, nominative and the case used in dates; lower case, no final dot.
_NAMES = (
    "january jan janvier janv januar jänner enero ene janeiro gennaio gen januari января янв มกราคม ม.ค "
    "stycznia sty ocak januarie ianuarie leden ledna",
    "february feb février févr februar febrero fevereiro fev febbraio februari февраля фев февр กุมภาพันธ์ ก.พ "
    "lutego lut şubat februarie unora února",
    "march mar mars märz mär marzo março maart mrt марта мар มีนาคม มี.ค marca mart martie března",
    "april apr avril avr abril abr aprile апреля апр เมษายน เม.ย kwietnia kwi nisan aprilie dubna",
    "may mai mayo maio maggio mag mei мая พฤษภาคม พ.ค maja mayıs května",
    "june jun juin juni junio junho giugno giu июня июн มิถุนายน มิ.ย czerwca cze haziran iunie června",
    "july jul juillet juil juli julio julho luglio lug июля июл กรกฎาคม ก.ค lipca lip temmuz iulie července",
    "august aug août agosto ago augustus августа авг สิงหาคม ส.ค sierpnia sie ağustos srpna",
    "september sep sept septembre septiembre setembro settembre set сентября сен сент กันยายน ก.ย "
    "września wrz eylül septembrie září",
    "october oct octobre oktober okt octubre outubro out ottobre ott октября окт ตุลาคม ต.ค "
    "października paź ekim octombrie října",
    "november nov novembre noviembre novembro ноября ноя нояб พฤศจิกายน พ.ย listopada lis kasım noiembrie",
    "december dec décembre déc dezember dez diciembre dic dezembro dicembre декабря дек ธันวาคม ธ.ค "
    "grudnia gru aralık decembrie prosince",
)

# The same, wide ones alone, of 54 further languages. A name of two months (the Croatian `listopad`) is that of the
# languages above.
_FURTHER = (
    "январь styczeń január tammikuuta tammikuu ιανουαρίου ιανουάριος січня січень януари студзеня студзень "
    "siječnja siječanj јануар januára sausio sausis janvāris jaanuar јануари janar janúar gener xaneiro "
    "urtarrila ינואר ژانویه جنوری يناير जनवरी জানুয়ারি ஜனவரி జనవరి जानेवारी જાન્યુઆરી ಜನವರಿ ജനുവരി ਜਨਵਰੀ "
    "ଜାନୁଆରୀ දුරුතු იანვარი հունվարի հունվար ጃንዋሪ មករា ມັງກອນ ဇန်နဝါရီ yanvar қаңтар januwari janaayo jannaayo "
    "eanáir ionawr jannar ජනවාරි",
    "февраль luty únor február helmikuuta helmikuu φεβρουαρίου φεβρουάριος лютого лютий февруари лютага люты "
    "veljače veljača фебруар februára vasario vasaris februāris veebruar shkurt febrúar febrer febreiro "
    "otsaila pebrero פברואר فوریه فروری فبراير شباط फ़रवरी ফেব্রুয়ারি பிப்ரவரி ఫిబ్రవరి फेब्रुवारी ફેબ્રુઆરી "
    "ಫೆಬ್ರವರಿ ഫെബ്രുവരി ਫ਼ਰਵਰੀ ଫେବୃଆରୀ නවම් फेब्रुअरी თებერვალი փետրվարի փետրվար ፌብሩዋሪ កុម្ភៈ ກຸມພາ ဖေဖော်ဝါရီ "
    "fevral ақпан februwari febraayo feabhra chwefror frar පෙබරවාරි",
    "март marzec březen március maaliskuuta maaliskuu marts μαρτίου μάρτιος березня березень сакавіка сакавік "
    "ožujka ožujak marec kovo kovas märts març martxoa maret mac marso מרץ مارس مارچ آذار मार्च মার্চ மார்ச் "
    "మార్చి માર્ચ ಮಾರ್ಚ್ മാർച്ച് ਮਾਰਚ ମାର୍ଚ୍ଚ මැදින් მარტი մարտի մարտ ማርች មីនា ມີນາ မတ် machi наурыз mashi "
    "maarso márta mawrth marzu මාර්තු",
    "апрель kwiecień duben április huhtikuuta huhtikuu απριλίου απρίλιος квітня квітень април красавіка "
    "красавік travnja travanj apríla apríl balandžio balandis aprīlis aprill prill apirila אפריל آوریل اپریل "
    "أبريل نيسان अप्रैल এপ্রিল ஏப்ரல் ఏప్రిల్ एप्रिल એપ્રિલ ಏಪ್ರಿಲ್ ഏപ്രിൽ ਅਪ੍ਰੈਲ ଅପ୍ରେଲ බක් अप्रिल აპრილი "
    "ապրիլի ապրիլ ኤፕሪል មេសា ເມສາ ဧပြီ aprili aprel сәуір ephreli abriil aibreán ebrill අප්‍රේල්",
    "май maj květen május toukokuuta toukokuu μαΐου μάιος травня травень svibnja svibanj мај mája máj gegužės "
    "gegužė maijs maí maig maiatza מאי مه مئی مايو أيار मई মে மே మే मे મે ಮೇ മേയ് ਮਈ ମଇ වෙසක් მაისი մայիսի "
    "մայիս ሜይ ឧសភា ພຶດສະພາ မေ мамыр meyi maayo bealtaine mejju මැයි",
    "июнь czerwiec červen június kesäkuuta kesäkuu ιουνίου ιούνιος червня червень юни чэрвеня чэрвень lipnja "
    "lipanj јун junij júna jún birželio birželis jūnijs juuni јуни qershor júní juny xuño ekaina junie hunyo "
    "יוני ژوئن جون يونيو حزيران जून জুন ஜூன் జూన్ જૂન ಜೂನ್ ജൂൺ ਜੂਨ ଜୁନ පොසොන් जुन ივნისი հունիսի հունիս ጁን "
    "មិថុនា ມິຖຸນາ ဇွန် iyun маусым juun meitheamh mehefin ġunju ජූනි",
    "июль lipiec červenec július heinäkuuta heinäkuu ιουλίου ιούλιος липня липень юли ліпеня ліпень srpnja "
    "srpanj јул julij júla júl liepos liepa jūlijs juuli јули korrik júlí juliol xullo uztaila julie julai "
    "hulyo יולי ژوئیه جولائی يوليو تموز जुलाई জুলাই ஜூலை జులై जुलै જુલાઈ ಜುಲೈ ജൂലൈ ਜੁਲਾਈ ଜୁଲାଇ ඇසළ ივლისი "
    "հուլիսի հուլիս ጁላይ កក្កដា ກໍລະກົດ ဇူလိုင် iyul шілде julayi luulyo iúil gorffennaf lulju ජූලි",
    "август sierpień srpen augusztus elokuuta elokuu augusti αυγούστου αύγουστος серпня серпень жніўня жнівень "
    "kolovoza kolovoz avgust augusta rugpjūčio rugpjūtis augusts gusht ágúst agost abuztua agustus ogos אוגוסט "
    "اوت اگست أغسطس آب अगस्त আগস্ট ஆகஸ்ட் ఆగస్టు ऑगस्ट ઑગસ્ટ ಆಗಸ್ಟ್ ഓഗസ്റ്റ് ਅਗਸਤ ଅଗଷ୍ଟ නිකිණි अगस्ट აგვისტო "
    "օգոստոսի օգոստոս ኦገስት សីហា ສິງຫາ ဩဂုတ် agosti avqust тамыз agasti ogosto lúnasa awst awwissu අගෝස්තු",
    "сентябрь wrzesień szeptember syyskuuta syyskuu σεπτεμβρίου σεπτέμβριος вересня вересень септември верасня "
    "верасень rujna rujan септембар septembar septembra rugsėjo rugsėjis septembris shtator setembre iraila "
    "setyembre ספטמבר سپتامبر ستمبر سبتمبر أيلول सितंबर সেপ্টেম্বর செப்டம்பர் సెప్టెంబర్ सप्टेंबर સપ્ટેમ્બર "
    "ಸೆಪ್ಟೆಂಬರ್ സെപ്റ്റംബർ ਸਤੰਬਰ ସେପ୍ଟେମ୍ବର බිනර सेप्टेम्बर სექტემბერი սեպտեմբերի սեպտեմբեր ሴፕቴምበር កញ្ញា ກັນຍາ "
    "စက်တင်ဘာ septemba sentyabr қыркүйек sentabr septhemba sebtembar sebteembar medi settembru සැප්තැම්බර්",
    "октябрь październik říjen október lokakuuta lokakuu οκτωβρίου οκτώβριος жовтня жовтень октомври "
    "кастрычніка кастрычнік октобар oktobar októbra spalio spalis oktobris oktoober tetor urria oktubre "
    "אוקטובר اکتبر اکتوبر أكتوبر अक्टूबर অক্টোবর அக்டோபர் అక్టోబర్ ऑक्टोबर ઑક્ટોબર ಅಕ್ಟೋಬರ್ ഒക്‌ടോബർ ਅਕਤੂਬਰ "
    "ଅକ୍ଟୋବର වප් अक्टोबर ოქტომბერი հոկտեմբերի հոկտեմբեր ኦክቶበር តុលា ຕຸລາ အောက်တိုဘာ oktoba oktyabr қазан oktabr "
    "okthoba oktoobar hydref ottubru ඔක්තෝබර්",
    "ноябрь listopadu marraskuuta marraskuu νοεμβρίου νοέμβριος листопада листопад ноември лістапада лістапад "
    "studenoga studeni новембар novembar novembra lapkričio lapkritis novembris nëntor nóvember azaroa "
    "nobyembre נובמבר نوامبر نومبر نوفمبر नवंबर নভেম্বর நவம்பர் నవంబర్ नोव्हेंबर નવેમ્બર ನವೆಂಬರ್ നവംബർ ਨਵੰਬਰ "
    "ନଭେମ୍ବର ඉල් नोभेम्बर ნოემბერი նոյեմբերի նոյեմբեր ኖቬምበር វិច្ឆិកា ພະຈິກ နိုဝင်ဘာ novemba noyabr қараша "
    "noofeembar samhain tachwedd novembru නොවැම්බර්",
    "декабрь grudzień prosinec joulukuuta joulukuu desember δεκεμβρίου δεκέμβριος грудня грудень декември "
    "снежня снежань prosinca prosinac децембар decembar decembra gruodžio gruodis decembris detsember dhjetor "
    "desembre decembro abendua disember disyembre דצמבר دسامبر دسمبر ديسمبر दिसंबर ডিসেম্বর டிசம்பர் డిసెంబర్ "
    "डिसेंबर ડિસેમ્બર ಡಿಸೆಂಬರ್ ഡിസംബർ ਦਸੰਬਰ ଡିସେମ୍ବର උඳුවප් डिसेम्बर დეკემბერი դեկտեմբերի դեկտեմբեր ዲሴምበር ធ្នូ "
    "ທັນວາ ဒီဇင်ဘာ desemba dekabr желтоқсан disemba diseembar nollaig rhagfyr diċembru දෙසැම්බර්",
)

MONTHS: dict[str, int] = {
    name: number for rows in (_FURTHER, _NAMES) for number, row in enumerate(rows, 1) for name in row.split()
}


def month_number(name: str) -> int:
    """1..12 for a month's name in any case, with or without a final dot; 0 for any other word."""
    return MONTHS.get(name.rstrip(".").removesuffix("လ").lower(), 0)  # the Burmese word for month
